// A program run on the simulator: values per vertex, fragment or group, beside those of the interpreter.

import type { Shown, View } from "../app";
import { h, settled, table } from "../dom";
import type { Results, Value } from "../facts";
import { completed, fields, workOf } from "../inputs";
import type { Answer, File } from "../protocol";
import type { Inputs } from "../state";

export const INPUTS = "inputs.json";

/** Steps of an invocation before it counts as endless: as many as are recorded. */
const STEPS = 1 << 16;

export function run(view: View): Shown {
  const { app, study, target } = view;
  const work = workOf(study, target.stages);
  const given = h("div");
  const results = h("div", { class: "results", "aria-live": "polite" });
  const ask = settled(30, async (inputs: Inputs) => {
    const answer = await simulated(view, inputs);
    if (answer.status !== -2) results.replaceChildren(...shown(answer, work));
  });
  const change = (to: Inputs) => {
    app.ran(to, view.pane);
    ask(to);
  };
  const begin = () => {
    const inputs = completed(study, app.state.inputs, work);
    given.replaceChildren(fields(study, inputs, work, change));
    ask(inputs);
  };
  begin();
  return { element: h("div", { class: "prose run" }, results, given), ran: begin };
}

/** Runs the open source on inputs, with every step. A run compiles as it sees fit: who chooses gives it the program. */
export async function simulated(view: View, inputs: Inputs): Promise<Answer> {
  const { size: _size, ...given } = inputs;
  const { machine, app, args } = view;
  let [program]: File[] = app.files();
  if (view.study.interface && runArgs(args).length < args.length) {
    const made = await machine.ask("run", "compile", [...args, "--", program[0]], app.files(), { container: "bytes" });
    if (!(made.results.container instanceof Uint8Array)) return made;
    program = ["program.bin", made.results.container];
  }
  const words = [...runArgs(args), "--max-steps", String(STEPS), "--inputs", INPUTS, "--", program[0]];
  return machine.ask("run", "trace", words, [program, [INPUTS, JSON.stringify(given)]], { results: "text", traces: "text" });
}

/** Of the words for the compiler those that a run takes, too. */
export function runArgs(args: string[]): string[] {
  const kept: string[] = [];
  for (let n = 0; n < args.length; n++) {
    if (["--effort", "--clip", "-m"].includes(args[n])) n++;
    else kept.push(args[n]);
  }
  return kept;
}

function shown(answer: Answer, work: string): HTMLElement[] {
  const messages = answer.messages.filter((message) => message.severity !== "warning" || answer.status !== 0);
  const text = messages.length > 0 || !answer.results.results ? [h("pre", { class: answer.status === 0 ? "told" : "told wrong" }, answer.text)] : [];
  if (typeof answer.results.results !== "string") return text;
  const results = JSON.parse(answer.results.results) as Results;
  const rows = (Array.isArray(results[work]) ? results[work] : []) as { outputs: Record<string, Value>; cycles?: number; fault?: { cause: string } }[];
  const names = Object.keys(rows[0]?.outputs ?? {});
  const hasCycles = rows.some((row) => row.cycles !== undefined);
  const head = ["#", ...names, ...(hasCycles ? ["cycles"] : [])];
  const cells = rows.map((row, n) => [n, ...names.map((name) => numbers(row.outputs[name])), ...(hasCycles ? [row.cycles ?? ""] : [])]);
  const summary = [`${results.mode}`, results.words === undefined ? "" : `${results.words} instructions executed`].filter(Boolean).join(", ");
  const buffers = Object.entries((results.buffers ?? {}) as Record<string, Value>);
  return [...text, h("p", { class: "figure" }, summary),
    ...(names.length > 0 ? [h("h3", {}, "Results"), table("Results", head, cells)] : []),
    ...buffers.flatMap(([name, value]) => [h("h3", {}, name), lanes(name, value)])];
}

const short = (x: unknown) => (typeof x === "number" && !Number.isInteger(x) ? String(Number(x.toPrecision(6))) : String(x));

function numbers(value: Value | undefined): HTMLElement {
  return h("span", { class: "values", title: value?.bits.join(" ") }, (value?.value ?? []).map(short).join("  "));
}

/** A buffer, a value for each lane. */
function lanes(name: string, { value, bits }: Value): HTMLElement {
  return h("div", { class: "lanes", role: "list", "aria-label": name }, ...value.slice(0, 512).map((x, n) =>
    h("span", { role: "listitem", title: `${name}[${n}] = ${bits[n]}` }, short(x))));
}
