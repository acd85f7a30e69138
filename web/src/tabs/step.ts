// A program step by step, forwards and backwards: what an instruction read and wrote, registers, masks, stacks, waits.

import type { Shown, View } from "../app";
import { choice, h } from "../dom";
import type { Step } from "../facts";
import { completed, workOf } from "../inputs";
import { simulated } from "./run";

type Form = "float" | "int" | "hex";

/** Bits by register, and by component where it has several. */
type Registers = Map<string, number[]>;

export function step(view: View): Shown {
  const { app, study, target } = view;
  const element = h("div", { class: "prose step" }, h("p", {}, "Running …"));
  const ask = async () => {
    const answer = await simulated(view, completed(study, app.state.inputs, workOf(study, target.stages)));
    if (answer.status === -2) return;
    const traces = typeof answer.results.traces === "string" ? (JSON.parse(answer.results.traces) as Step[][]) : [];
    if (traces.length === 0) element.replaceChildren(h("pre", { class: "told wrong" }, answer.text || "this simulator records no steps"));
    else element.replaceChildren(player(view, traces));
  };
  void ask();
  return { element, ran: () => void ask() };
}

function player(view: View, traces: Step[][]): HTMLElement {
  let [invocation, at, form]: [number, number, Form] = [0, 0, "float"];
  const place = h("p", { class: "figure", "aria-live": "polite" });
  const now = h("pre", { class: "now" });
  const registers = h("div", { class: "registers" });
  const slider = h("input", { type: "range", min: 0, "aria-label": "step" });
  const steps = () => traces[invocation] ?? [];
  const show = () => {
    const one = steps()[at];
    slider.max = String(Math.max(steps().length - 1, 0));
    slider.value = String(at);
    if (!one) return place.replaceChildren("no steps were recorded");
    const line = lineOf(view, one);
    place.textContent = `step ${at + 1} of ${steps().length}, instruction ${(line ?? one.at).toString(16).padStart(3, "0")}`;
    now.textContent = [one.text, ...told(one, form), ...waits(view, line)].join("\n");
    registers.replaceChildren(...state(steps(), at, form));
    if (line !== undefined) view.point(line, true);
  };
  const go = (to: number) => {
    at = Math.max(0, Math.min(to, steps().length - 1));
    show();
  };
  slider.addEventListener("input", () => go(Number(slider.value)));
  const button = (text: string, label: string, to: () => number) => h("button", { type: "button", "aria-label": label, title: label, onclick: () => go(to()) }, text);
  const names = traces.slice(0, 256).map((_, n): [string, string] => [String(n), String(n)]);
  const bar = h("div", { class: "bar", role: "toolbar", "aria-label": "stepping" },
    button("⏮", "to the start", () => 0), button("◀", "one step back", () => at - 1), button("▶", "one step on", () => at + 1), button("⏭", "to the end", () => steps().length - 1),
    choice("invocation or wave", names, "0", (value) => ((invocation = Number(value)), go(0))),
    choice("bits as", [["float", "floats"], ["int", "integers"], ["hex", "hexadecimal"]], form, (value) => ((form = value as Form), show())));
  const element = h("div", { class: "player" }, bar, slider, place, now, h("h3", {}, "Registers"), registers);
  element.addEventListener("keydown", (event) => {
    if (event.target === slider || (event.target as Element).matches("select")) return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) event.preventDefault(), go(at + by);
  });
  show();
  return element;
}

/** The line of code that was executed: simulators count instructions or dwords. */
function lineOf(view: View, step: Step): number | undefined {
  const { code } = view.study;
  const same = (n: number) => n >= 0 && code[n]?.text === step.text;
  if (same(step.at)) return step.at;
  const byDword = code.findIndex((line) => line.offset === step.at * 4);
  return same(byDword) ? byDword : code[step.at] ? step.at : byDword >= 0 ? byDword : undefined;
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

export function shown(bits: number, form: Form): string {
  if (form === "hex") return bits.toString(16).padStart(8, "0");
  if (form === "int") return String(bits | 0);
  word[0] = bits;
  return Object.is(float[0], -0) ? "-0" : String(Number(float[0].toPrecision(6)));
}

const row = (bits: number[], form: Form) => bits.map((one) => shown(one, form)).join("  ");

function told(step: Step, form: Form): string[] {
  return [
    ...Object.entries(step.reads).map(([name, bits]) => `  reads   ${name.padEnd(8)} ${row(bits, form)}`),
    ...Object.entries(step.writes).map(([name, bits]) => `  writes  ${name.padEnd(8)} ${row(bits, form)}`),
    ...step.results.map(([unit, bits]) => `  ${unit.padEnd(16)} ${shown(bits, form)}`),
    ...step.effects.map((effect) => `  ${effect}`),
  ];
}

function waits(view: View, line: number | undefined): string[] {
  const { timeline, anatomy } = view.study;
  const event = timeline.events.find((event) => anatomy.instructions[event.instruction]?.line === line);
  return (event?.waits ?? []).map((wait) => `  waits ${wait.cycles} for ${wait.why} (${wait.what})`);
}

/** What registers hold behind a step, as far as steps have told. */
function state(steps: Step[], at: number, form: Form): HTMLElement[] {
  const registers: Registers = new Map();
  for (const step of steps.slice(0, at + 1)) {
    for (const [name, bits] of Object.entries(step.reads)) if (!registers.has(name)) registers.set(name, bits);
    for (const [name, bits] of Object.entries(step.writes)) write(registers, name, bits);
  }
  const written = new Set(Object.keys(steps[at]?.writes ?? {}).map((name) => name.split(".")[0]));
  const names = [...registers.keys()].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  return names.map((name) => h("div", { class: written.has(name) ? "register written" : "register" }, h("span", { class: "name" }, name), h("span", { class: "values" }, row(registers.get(name)!, form))));
}

/** Writes `r0.xz`: two components of four. */
function write(registers: Registers, name: string, bits: number[]): void {
  const [base, parts] = name.split(".");
  const places = [...(parts ?? "")].map((letter) => "xyzw".indexOf(letter));
  if (!parts || places.includes(-1) || places.length !== bits.length) return void registers.set(name, bits);
  const row = [...(registers.get(base) ?? [0, 0, 0, 0])];
  places.forEach((place, n) => (row[place] = bits[n]));
  registers.set(base, row);
}
