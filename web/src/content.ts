// Examples, each with what is strange about its machine, and lessons. Their texts are files in content/.

import type { Inputs, Pane, Source } from "./state";

import blend from "../content/blend.gp";
import disc from "../content/disc.frag";
import glow from "../content/glow.ir3";
import half from "../content/half.frag";
import lampsPica from "../content/lamps.v.pica";
import lanes from "../content/lanes.comp";
import lit from "../content/lit.vert";
import loop from "../content/loop.vert";
import reduce from "../content/reduce.comp";
import scale from "../content/scale.s";
import skinned from "../content/skinned.wgsl";
import swizzle from "../content/swizzle.vert";
import tile from "../content/main.agx";
import units from "../content/units.vert";
import chain from "../content/lessons/chain.frag";
import divergent from "../content/lessons/lanes.comp";
import sum from "../content/lessons/sum.vert";
import wave from "../content/lessons/wave.vert";
import window_ from "../content/lessons/window.frag";

type Look = Partial<Pane> & { target: string };

export interface Example { id: string; group: string; title: string; sources: Source[]; panes: Look[]; inputs?: Inputs }

export interface LessonText {
  id: string; title: string; target: string; task: string[]; hint: string; sources: Source[]; panes: Look[]; inputs: Inputs;
  goal: { of: "instructions" | "cycles" | "bytes"; most: number };
  tolerance?: number;
  /** The outputs that count, where not all do: what the host's viewport has changed is another number. */
  outputs?: string[];
}

const one = (name: string, text: string): Source[] => [{ name, text }];
const numbers = (count: number, of: (n: number) => number) => Array.from({ length: count }, (_, n) => of(n));
const triangle = [[-0.8, -0.7, 0, 1], [0.8, -0.7, 0, 1], [0, 0.8, 0, 1]];

export const EXAMPLES: Example[] = [
  {
    id: "lit", group: "Side by side", title: "A lit vertex on three machines", sources: one("lit.vert", lit),
    panes: [{ target: "pica200" }, { target: "a3xx" }],
    inputs: { uniforms: { light: [0, 0.6, 0.8, 0.9] }, vertices: triangle.map((position, n) => ({ position, normal: [[0, 0, 1], [0.6, 0, 0.8], [0, 1, 0]][n] })) },
  },
  { id: "swizzle", group: "PICA200", title: "Swizzles for nothing, uniforms one at a time", sources: one("swizzle.vert", swizzle), panes: [{ target: "pica200" }] },
  {
    id: "loop", group: "PICA200", title: "A loop whose count the host gives", sources: one("loop.vert", loop), panes: [{ target: "pica200" }, { target: "pica200", tab: "flow" }],
    inputs: { uniforms: { lamps: 3, lamps_loop: [2, 0, 1, 0], position_of: [[1, 1, 1, 1], [-1, 1, 1, 1], [0, 2, 1, 1], [0, 0, 2, 1]] } },
  },
  { id: "skinned", group: "PICA200", title: "A skinned mesh in WGSL", sources: one("skinned.wgsl", skinned), panes: [{ target: "pica200" }] },
  { id: "lamps", group: "PICA200", title: "Assembly in picasso's language", sources: one("lamps.v.pica", lampsPica), panes: [{ target: "pica200" }] },
  { id: "units", group: "Mali Utgard GP", title: "Six units in a word", sources: one("units.vert", units), panes: [{ target: "utgard-gp" }] },
  {
    id: "blend", group: "Mali Utgard GP", title: "Words by hand", sources: one("blend.gp", blend), panes: [{ target: "utgard-gp" }, { target: "utgard-gp", tab: "step" }],
    inputs: { uniforms: { "t[0]": [1, 2, 3, 4], "t[1]": [10, 20, 30, 40] }, vertices: [{ a0: [1, 1, 1, 1] }, { a0: [0.5, 0, 2, 1] }] },
  },
  { id: "half", group: "Adreno A3xx", title: "Halves of registers, repeated instructions", sources: one("half.frag", half), panes: [{ target: "a3xx", options: ["-m", "mediump=half"] }, { target: "a3xx", tab: "draw", options: ["-m", "mediump=half"] }], inputs: { uniforms: { time: 0.7 } } },
  { id: "glow", group: "Adreno A3xx", title: "Delays by hand", sources: one("glow.ir3", glow), panes: [{ target: "a3xx" }, { target: "a3xx", tab: "timeline" }] },
  {
    id: "lanes", group: "AMD RDNA", title: "Scalars, vectors and the mask", sources: one("lanes.comp", lanes), panes: [{ target: "rdna" }, { target: "rdna", tab: "run" }],
    inputs: { buffers: { data: numbers(32, (n) => n) }, groups: [1, 1, 1] },
  },
  {
    id: "reduce", group: "AMD RDNA", title: "A sum in shared memory", sources: one("reduce.comp", reduce), panes: [{ target: "rdna" }, { target: "rdna", tab: "timeline" }],
    inputs: { buffers: { source: numbers(64, (n) => n + 1), sums: [0] }, groups: [1, 1, 1] },
  },
  { id: "scale", group: "AMD RDNA", title: "A kernel in LLVM's assembly", sources: one("scale.s", scale), panes: [{ target: "rdna" }] },
  { id: "disc", group: "Apple AGX", title: "Masks instead of branches", sources: one("disc.frag", disc), panes: [{ target: "agx" }, { target: "agx", tab: "draw" }] },
  { id: "tile", group: "Apple AGX", title: "A main part in assembly", sources: one("main.agx", tile), panes: [{ target: "agx" }] },
];

export const LESSONS: LessonText[] = [
  {
    id: "sum", title: "Four at once", target: "pica200", sources: one("sum.vert", sum), panes: [{ target: "pica200" }],
    task: ["Every instruction of the PICA200 works on four components, and a branch costs more than what it saves. This shader asks three times and adds three times.", "Say the same in vectors."],
    hint: "max() takes three decisions in one instruction, and a dot product with ones is a sum.",
    goal: { of: "instructions", most: 7 },
    inputs: { uniforms: { light: [0.5, -0.25, 1, 0] }, vertices: [[1, 2, 3], [-1, -2, 0.5], [0, 0, 1], [2, -4, -1]].map((normal) => ({ position: [0, 0, 0, 1], normal })) },
  },
  {
    id: "wave", title: "Words, not operations", target: "utgard-gp", sources: one("wave.vert", wave), panes: [{ target: "utgard-gp" }],
    task: ["A word of the Utgard drives two multipliers and two adders, but Horner's rule leaves them nothing to do at the same time: each step waits for the one before.", "Compute the same polynomial in fewer words. More operations are welcome."],
    hint: "The coefficients repeat: pull out 1 + x⁴. What is left is two halves that know nothing of one another.",
    goal: { of: "instructions", most: 10 }, tolerance: 1e-4, outputs: ["wave"],
    inputs: { uniforms: { c: [1, 0.5, -0.25, 0.125] }, vertices: [0.5, -0.5, 0.25, 0.9].map((x) => ({ position: [x, 0, 0, 1] })) },
  },
  {
    id: "chain", title: "Nothing to wait for", target: "a3xx", sources: one("chain.frag", chain), panes: [{ target: "a3xx" }, { target: "a3xx", tab: "timeline" }],
    task: ["A result of Adreno's arithmetic is there three slots later, and until then an instruction that wants it waits: look for nop and (rpt2) in the code.", "Give the machine something to do in the meantime."],
    hint: "Break the chain in two: k.x + x·k.y and k.z + x·k.w do not need each other.",
    goal: { of: "cycles", most: 24 }, tolerance: 1e-4,
    inputs: { uniforms: { k: [1, 0.5, -0.25, 0.125] }, fragments: [0.5, 0.25, -0.5, 0.9].map((x) => ({ x })) },
  },
  {
    id: "even", title: "All lanes go both ways", target: "rdna", sources: one("lanes.comp", divergent), panes: [{ target: "rdna" }],
    task: ["Even and odd lanes sit in one wave: when they part, the wave goes through both sides, and masks what does not count. Here it does so in every round.", "Compute the same without a choice inside of the loop."],
    hint: "Both sides multiply and add; only the numbers differ.",
    goal: { of: "instructions", most: 24 },
    inputs: { buffers: { data: numbers(32, (n) => n + 1) }, groups: [1, 1, 1] },
  },
  {
    id: "window", title: "One mask is enough", target: "agx", sources: one("window.frag", window_), panes: [{ target: "agx" }],
    task: ["Every nested if of AGX pushes on the mask stack, and comes back from it level by level.", "Ask once."],
    hint: "The window is a square around the middle: the larger of the two distances from it decides.",
    goal: { of: "instructions", most: 28 },
    // Inputs of a quad lie in a plane: the fourth follows from the others.
    inputs: { uniforms: { Look: [1, 0.5, 0.25, 1] }, fragments: [[0.5, 0.5], [0.1, 0.5], [0.5, 0.9], [0.1, 0.9], [0.3, 0.7], [0.7, 0.7], [0.3, 0.3], [0.7, 0.3]].map((uv) => ({ uv })) },
  },
];
