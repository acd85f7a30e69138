// A program step by step, forwards and backwards: what an instruction read and wrote, registers, masks, stacks, waits.

import type { Shown, View } from "../app";
import { choice, h } from "../dom";
import type { Step } from "../facts";
import { states, written, type Registers } from "../registers";
import { completed, workOf } from "../inputs";
import { simulated } from "./run";

type Form = "float" | "int" | "hex";

export function step(view: View): Shown {
  const { app, study, target } = view;
  const element = h("div", { class: "prose step" }, h("p", {}, "Running …"));
  const ask = async () => {
    const answer = await simulated(view, completed(study, app.state.inputs, workOf(study, target.stages)));
    if (answer.status === -2) return;
    const traces = typeof answer.results.traces === "string" ? (JSON.parse(answer.results.traces) as Step[][]) : [];
    if (traces.length === 0) element.replaceChildren(h("pre", { class: "told wrong" }, answer.text || "this simulator records no steps"));
    else element.replaceChildren(...(answer.status === 0 ? [] : [h("pre", { class: "told wrong" }, answer.text)]), player(view, traces));
  };
  void ask();
  return { element, ran: () => void ask() };
}

function player(view: View, traces: Step[][]): HTMLElement {
  let [invocation, at, form]: [number, number, Form] = [0, 0, "float"];
  const place = h("p", { class: "figure", "aria-live": "polite" });
  const now = h("pre", { class: "now" });
  const registers = h("div", { class: "registers" });
  const flags = h("div", { class: "registers flags" });
  const slider = h("input", { type: "range", min: 0, "aria-label": "step" });
  const steps = () => traces[invocation] ?? [];
  let behind = states(steps());
  const show = () => {
    const one = steps()[at];
    slider.max = String(Math.max(steps().length - 1, 0));
    slider.value = String(at);
    if (!one) return place.replaceChildren("no steps were recorded");
    const line = lineOf(view, one);
    place.textContent = `step ${at + 1} of ${steps().length}, instruction ${(line ?? one.at).toString(16).padStart(3, "0")}`;
    now.textContent = [one.text, ...told(one, form), ...waits(view, line)].join("\n");
    registers.replaceChildren(...rows(behind(at), one, form));
    flags.replaceChildren(...standing(steps().slice(0, at + 1)));
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
    button("|◀", "to the start", () => 0), button("◀", "one step back", () => at - 1), button("▶", "one step on", () => at + 1), button("▶|", "to the end", () => steps().length - 1),
    choice("invocation or wave", names, "0", (value) => ((invocation = Number(value)), (behind = states(steps())), go(0))),
    choice("bits as", [["float", "floats"], ["int", "integers"], ["hex", "hexadecimal"]], form, (value) => ((form = value as Form), show())));
  const element = h("div", { class: "player" }, bar, slider, place, now, h("h3", {}, "Registers"), wide("registers", registers), h("h3", {}, "Flags and stacks"), wide("flags and stacks", flags));
  element.addEventListener("keydown", (event) => {
    if (event.target === slider || (event.target as Element).matches("select")) return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) event.preventDefault(), go(at + by);
  });
  show();
  return element;
}

/** Waves have many lanes: what is wider than the pane scrolls. */
const wide = (label: string, inside: HTMLElement) => h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, inside);

/** The line of code that was executed. */
function lineOf(view: View, step: Step): number | undefined {
  const found = view.study.code.findIndex((line) => line.offset === step.offset);
  return found < 0 ? undefined : found;
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

export function shown(bits: number, form: Form): string {
  if (form === "hex") return bits.toString(16).padStart(8, "0");
  if (form === "int") return String(bits | 0);
  word[0] = bits;
  return Object.is(float[0], -0) ? "-0" : String(Number(float[0].toPrecision(6)));
}

const row = (bits: (number | undefined)[], form: Form) => bits.map((one) => (one === undefined ? "?" : shown(one, form))).join("  ");

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

/** What was said to be so and holds until something else is said: flags, address registers, stacks. */
function standing(steps: Step[]): HTMLElement[] {
  const held = new Map<string, string>();
  for (const step of steps)
    for (const effect of step.effects) {
      const [name, value] = effect.split(" = ");
      if (value !== undefined) held.set(name!, value);
    }
  const last = new Set(steps.at(-1)?.effects.map((effect) => effect.split(" = ")[0]));
  if (held.size === 0) return [h("p", {}, "none were set so far")];
  return [...held].map(([name, value]) => h("div", { class: last.has(name) ? "register written" : "register" }, h("span", { class: "name" }, name), h("span", { class: "values" }, value)));
}

/** What registers hold behind a step; a question mark stands for what the recording does not show. */
function rows(registers: Registers, step: Step | undefined, form: Form): HTMLElement[] {
  const fresh = written(step);
  const names = [...registers.keys()].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  return names.map((name) => h("div", { class: fresh.has(name) ? "register written" : "register" }, h("span", { class: "name" }, name), h("span", { class: "values" }, row(registers.get(name)!, form))));
}
