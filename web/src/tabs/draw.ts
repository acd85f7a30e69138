// A picture three times: of the simulator, of the interpreter, and what differs.

import type { Shown, View } from "../app";
import { h, settled } from "../dom";
import type { Variable } from "../facts";
import { completed, uniforms, workOf } from "../inputs";
import type { File } from "../protocol";
import { runArgs } from "./run";

const SCENE = "scene.json";
const PICTURE = "picture.png";
const DIFFERENCE = "picture.difference.png";
const SIDE = 96;

export function draw(view: View): Shown {
  const titles = ["Simulator", "Interpreter", "Difference"];
  const meaning = "black where there is none, blue below a step of 8 bits, red to yellow above";
  const canvases = titles.map((title) => h("canvas", { width: SIDE, height: SIDE, role: "img", "aria-label": `${title.toLowerCase()}: not drawn yet` }));
  const figures = canvases.map((canvas, n) => h("figure", {}, canvas, h("figcaption", {}, titles[n], n === 2 && h("small", {}, meaning))));
  const told = h("p", { class: "figure", "aria-live": "polite" });
  const wrong = h("pre", { class: "told wrong", hidden: true });
  const paint = settled(30, async () => {
    const scene = sceneOf(view);
    if (typeof scene === "string") return void (told.textContent = scene);
    const args = (more: string[]) => [...more, "-o", PICTURE, "--", SCENE];
    const both = await view.machine.ask("draw", "draw", args([...runArgs(view.args), "--compare"]), scene, { "": "text", [PICTURE]: "pixels", [DIFFERENCE]: "pixels" });
    if (both.status === -2) return;
    wrong.hidden = both.status === 0;
    wrong.textContent = both.status === 0 ? "" : both.text;
    put(canvases[0], both.results[PICTURE], "the simulator's picture");
    put(canvases[2], both.results[DIFFERENCE], `the difference: ${meaning}`);
    if (both.status !== 0) return void (told.textContent = "");
    const plainly = runArgs(view.args).length < view.args.length ? "; pictures are drawn with the compiler's own choices, not with this pane's options" : "";
    told.textContent = String(both.results[""] ?? "").trimEnd() + plainly;
    const plain = await view.machine.ask("draw", "draw", args(runArgs(moduleArgs(view.args))), scene, { [PICTURE]: "pixels" });
    put(canvases[1], plain.results[PICTURE], "the interpreter's picture");
  });
  const given = h("div", { class: "inputs" });
  const begin = () => {
    let inputs = completed(view.study, view.app.state.inputs, workOf(view.study, view.target.stages));
    given.replaceChildren(uniforms(view.study, () => inputs, (to) => (view.app.ran((inputs = to), view.pane), paint())) || "");
    paint();
  };
  begin();
  return { element: h("div", { class: "prose draw" }, h("div", { class: "pictures" }, ...figures), told, wrong, given), ran: begin };
}

const moduleArgs = (args: string[]) => args.filter((arg, n) => arg !== "--target" && args[n - 1] !== "--target");

/** Pixels behind their width and height. */
function put(canvas: HTMLCanvasElement, pixels: string | Uint8Array | undefined, label: string): void {
  if (!(pixels instanceof Uint8Array) || pixels.length < 8) return;
  const sides = new DataView(pixels.buffer, pixels.byteOffset, 8);
  const [width, height] = [sides.getUint32(0, true), sides.getUint32(4, true)];
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d")!.putImageData(new ImageData(new Uint8ClampedArray(pixels.slice(8)), width, height), 0, 0);
  canvas.setAttribute("aria-label", label);
}

/** The files of a scene: stages that are not among the sources are the plainest that fit; else a sentence. */
function sceneOf(view: View): File[] | string {
  const { app, study, target } = view;
  const work = workOf(study, target.stages);
  if (work === "groups") return "a compute shader draws nothing";
  if (!study.interface) return "assembly is not drawn: its variables have no types";
  const files = app.files();
  const other = files.slice(1).find(([name]) => name.endsWith(work === "fragments" ? ".vert" : ".frag"));
  const inputs = completed(study, app.state.inputs, work);
  const { vertices, fragments: _fragments, groups: _groups, size, ...resources } = inputs;
  const isLone = work === "fragments" && !other;
  const mesh = isLone || !vertices ? { topology: "triangle-strip", vertices: [[-1, -1], [1, -1], [-1, 1], [1, 1]].map((corner) => ({ corner })) } : { vertices };
  const pair: [File, File] = work === "fragments" ? [other ?? screen(study.interface), files[0]] : [files[0], other ?? plain(study.interface)];
  const scene = { vertex: pair[0][0], fragment: pair[1][0], size: size ?? [SIDE, SIDE], depth: "always", ...mesh, ...resources };
  return [...pair, [SCENE, JSON.stringify(scene)]];
}

const type = ({ shape }: Variable) => (shape.scalar === "float" ? (shape.rows === 1 ? "float" : `vec${shape.rows}`) : shape.rows === 1 ? "int" : `ivec${shape.rows}`);

/** A vertex shader that fills the picture; what the fragments read runs from 0 to 1 across it. */
function screen(variables: Variable[]): File {
  const read = variables.filter(({ kind, shape }) => kind === "input" && shape.counts.length === 0);
  const place = ({ location }: Variable) => (location === null ? "" : `layout(location = ${location}) `);
  const flat = (variable: Variable) => (variable.shape.scalar === "float" ? "" : "flat ");
  const lines = read.map((variable) => `${place(variable)}${flat(variable)}out ${type(variable)} ${variable.name};`);
  const set = read.map((variable) => `  ${variable.name} = ${type(variable)}(${["at.x", "vec2(at)", "vec3(at, 0.0)", "vec4(at, 0.0, 1.0)"][variable.shape.rows - 1]});`);
  const text = ["#version 450", "layout(location = 0) in vec2 corner;", ...lines, "void main() {", "  vec2 at = 0.5 * corner + 0.5;", ...set, "  gl_Position = vec4(corner, 0.0, 1.0);", "}"];
  return ["screen.vert", text.join("\n")];
}

/** A fragment shader that shows the first varying. */
function plain(variables: Variable[]): File {
  const first = variables.find(({ kind, shape }) => kind === "output" && shape.scalar === "float" && shape.counts.length === 0);
  const value = first ? ["vec4(vec3(v), 1.0)", "vec4(v, 0.5, 1.0)", "vec4(v, 1.0)", "v"].map((text) => text.replace(/\bv\b/, first.name))[first.shape.rows - 1] : "vec4(0.2, 0.5, 0.5, 1.0)";
  const place = first?.location == null ? "" : `layout(location = ${first.location}) `;
  const text = ["#version 450", first ? `${place}in ${type(first)} ${first.name};` : "", "layout(location = 0) out vec4 colour;", `void main() { colour = ${value}; }`];
  return ["plain.frag", text.join("\n")];
}
