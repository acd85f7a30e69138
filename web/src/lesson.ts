// A lesson: a task for one machine, checked by its simulator.

import type { App } from "./app";
import { LESSONS, type LessonText } from "./content";
import { h } from "./dom";
import type { Study, Value } from "./facts";
import { machine } from "./library";
import type { Pane } from "./pane";
import type { Answer } from "./protocol";
import { INPUTS } from "./tabs/run";

type Row = Record<string, Value>;

export class Lesson {
  private lesson: LessonText | undefined;
  private readonly verdict = h("p", { class: "verdict", role: "status" });
  private expected: Promise<Row[]> | undefined;

  constructor(private readonly app: App, private readonly place: HTMLElement) {}

  show(id: string | undefined): void {
    this.lesson = LESSONS.find((lesson) => lesson.id === id);
    this.place.hidden = !this.lesson;
    this.expected = undefined;
    if (!this.lesson) return;
    const { title, target, task, hint, goal } = this.lesson;
    this.verdict.textContent = "";
    this.verdict.className = "verdict";
    this.place.replaceChildren(
      h("h2", {}, `${target}: ${title}`), ...task.map((text) => h("p", {}, text)),
      h("p", { class: "goal" }, `Goal: the same results with at most ${goal.most} ${goal.of}.`),
      h("details", {}, h("summary", {}, "A hint"), h("p", {}, hint)), this.verdict,
      h("button", { type: "button", class: "icon", "aria-label": "leave the lesson", title: "leave the lesson", onclick: () => this.leave() }, "×"));
  }

  /** Looks at what a pane has made of the sources. */
  async made(pane: Pane): Promise<void> {
    const { lesson } = this;
    if (!lesson || pane.look.target !== lesson.target || !pane.code || pane.element.classList.contains("stale")) return;
    const reached = measure(pane.code, lesson);
    const wrong = await this.wrong(lesson);
    if (this.lesson !== lesson) return;
    const isDone = reached <= lesson.goal.most && wrong === undefined;
    const count = `${reached} ${lesson.goal.of}`;
    this.verdict.className = isDone ? "verdict done" : "verdict";
    this.verdict.textContent = wrong !== undefined ? `${count}, but ${wrong}` : isDone ? `Done: ${count}, and the simulator agrees.` : `${count}: ${reached - lesson.goal.most} too many. The results are right.`;
  }

  private leave(): void {
    this.app.state.lesson = undefined;
    this.show(undefined);
    this.app.changed();
  }

  /** What is wrong with the results of the sources as they are. */
  private async wrong(lesson: LessonText): Promise<string | undefined> {
    this.expected ??= results(lesson, lesson.sources[0].name, lesson.sources[0].text, []).then(rows);
    const [[name, text]] = this.app.files();
    const answer = await results(lesson, name, text, ["--target", lesson.target]);
    if (answer.status !== 0) return answer.messages.find((message) => message.severity === "error")?.message ?? "it does not run";
    return difference(await this.expected, rows(answer), lesson);
  }
}

function measure(study: Study, { goal }: LessonText): number {
  switch (goal.of) {
    case "cycles": return study.timeline.cycles;
    case "bytes": return study.bytes;
    default: return study.code.length;
  }
}

/** Runs on a target, or on the interpreter, which calls every invocation a vertex. */
function results(lesson: LessonText, name: string, text: string, args: string[]): Promise<Answer> {
  const { fragments, ...rest } = lesson.inputs;
  const inputs = args.length === 0 && fragments ? { ...rest, vertices: fragments } : lesson.inputs;
  return machine(lesson.target).ask("", "run", [...args, "--inputs", INPUTS, "--", name], [[name, text], [INPUTS, JSON.stringify(inputs)]]);
}

/** Outputs by invocation, in either form that `run` has; buffers are a row of their own. */
function rows(answer: Answer): Row[] {
  const made = JSON.parse(String(answer.results[""] ?? "{}")) as Record<string, unknown>;
  const all = (made.outputs ?? made.vertices ?? made.fragments ?? []) as (Row | { outputs: Row })[];
  const outputs = all.map((row) => ("outputs" in row ? (row.outputs as unknown as Row) : (row as Row)));
  const buffers = made.buffers as Row | undefined;
  return buffers && Object.keys(buffers).length > 0 ? [...outputs, buffers] : outputs;
}

function difference(expected: Row[], given: Row[], { tolerance = 1e-4, outputs }: LessonText): string | undefined {
  for (const [n, row] of expected.entries()) {
    for (const [name, { value }] of Object.entries<Value>(row)) {
      if (outputs && !outputs.includes(name)) continue;
      const other = given[n]?.[name]?.value ?? given[n]?.[name.replace(/^gl_Position$/, "position")]?.value;
      if (other === undefined) return `\`${name}\` is missing`;
      const flat = [value].flat(9).map(Number);
      const place = flat.findIndex((x, k) => !(Math.abs(x - Number([other].flat(9)[k])) <= tolerance * Math.max(1, Math.abs(x))));
      if (place >= 0) return `\`${name}\` of ${n} is ${[other].flat(9)[place]} where ${flat[place]} is right`;
    }
  }
  return undefined;
}
