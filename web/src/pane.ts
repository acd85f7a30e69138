// A pane: a target with its options, and what of it is looked at. Errors leave what was there, dimmed.

import type { App, Shown, View } from "./app";
import { choice, h, unique } from "./dom";
import type { Study, Target } from "./facts";
import { machine, type Asker } from "./library";
import type { Answer, Message } from "./protocol";
import { TABS, type Pane as Look, type Tab } from "./state";
import { code } from "./tabs/code";
import { draw } from "./tabs/draw";
import { flow } from "./tabs/flow";
import { occupancy } from "./tabs/occupancy";
import { report } from "./tabs/report";
import { run } from "./tabs/run";
import { step } from "./tabs/step";
import { ir, spirv } from "./tabs/text";
import { timeline } from "./tabs/timeline";

const MAKERS: Record<Tab, (view: View) => Shown> = { code, ir, spirv, report, timeline, flow, occupancy, run, step, draw };
const NAMES: Record<Tab, string> = {
  code: "Code", ir: "IR", spirv: "SPIR-V", report: "Report", timeline: "Timeline", flow: "Flow", occupancy: "Occupancy", run: "Run", step: "Step", draw: "Draw",
};

const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;

/** A line that panes have room for: columns of figures are as far apart as pages are wide. */
const narrow = (line: string) => line.replace(/^ {3,}/, "  ").replace(/(\S) {3,}/g, "$1  ");

/** Milliseconds after which somebody may want to stop a question. */
const LATE = 600;

export class Pane {
  readonly element: HTMLElement;
  private readonly body = h("div", { class: "body", role: "tabpanel", tabindex: -1 });
  private readonly about = h("p", { class: "about" });
  private readonly facts = h("p", { class: "facts", role: "status" });
  private readonly told = h("div", { class: "messages", role: "status" });
  private readonly explained = h("aside", { class: "explained", "aria-live": "polite", hidden: true });
  private readonly tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "what is shown" });
  private readonly stop = h("button", { type: "button", class: "stop", hidden: true, onclick: () => machine(this.look.target).stop() }, "Stop");
  /** What a screen reader goes by, and what the headings below belong to. */
  private readonly title = h("h2", { class: "hidden" });
  private readonly options = h("details", { class: "options" });
  private study: Study | undefined;
  private shown: Shown | undefined;
  private messages: Message[] = [];
  private explaining: ReturnType<typeof setTimeout> | undefined;

  private readonly id = unique("pane");
  /** The target's machine. Of questions that wait, only those of this pane make one another needless. */
  private readonly machine: Asker = { ask: (topic, ...rest) => this.heard(machine(this.look.target).ask(`${this.id}/${topic}`, ...rest)) };
  /** Questions without an answer so far, each with the clock that offers to stop it. */
  private readonly waiting = new Set<ReturnType<typeof setTimeout>>();
  private updates = 0;

  constructor(private readonly app: App, readonly look: Look) {
    const { id } = this;
    this.body.id = `${id}-body`;
    const targets = app.targets.map(({ name }): [string, string] => [name, name]);
    this.title.textContent = look.target;
    const head = h("header", {}, choice("target", targets, look.target, (target) => this.turn(target), true), this.facts, this.stop,
      h("button", { type: "button", class: "icon close", "aria-label": "close this pane", title: "close", onclick: () => app.close(this) }, "×"));
    this.element = h("section", { class: "pane", "aria-label": look.target }, this.title, head, this.about, this.options, this.tabs, this.told, this.body, this.explained);
    this.drawTabs();
    this.drawOptions();
  }

  get target(): Target {
    return this.app.targets.find((target) => target.name === this.look.target)!;
  }

  /** What the last question was answered with, for the editor. */
  get said(): Message[] {
    return this.messages;
  }

  get code(): Study | undefined {
    return this.study;
  }

  /** Asks anew. */
  async update(): Promise<void> {
    const [name] = this.app.files()[0];
    this.element.setAttribute("aria-busy", "true");
    const update = ++this.updates;
    const answer = await this.machine.ask("study", "study", [...this.args(), "--", name], this.app.files());
    // The machine of the target before may answer behind that of the target now.
    if (answer.status === -2 || update !== this.updates) return;
    this.element.setAttribute("aria-busy", "false");
    this.messages = answer.messages;
    const made = answer.results[""];
    this.element.classList.toggle("stale", typeof made !== "string");
    this.element.dataset.millis = answer.millis.toFixed(1);
    if (typeof made === "string") {
      this.study = JSON.parse(made) as Study;
      this.draw();
    }
    this.tell(answer.status);
  }

  /** Lights the code of a place, unless it is this pane's own. */
  light(covers: (place: [number, number, number, number, number], file: string) => boolean): void {
    const lines = new Set<number>();
    this.study?.code.forEach(({ place }, n) => place && covers(place, this.study!.sources[place[0]]) && lines.add(n));
    this.shown?.light?.(lines);
  }

  /** Another pane has changed the inputs. */
  ran(): void {
    this.shown?.ran?.();
  }

  /** Offers to stop what takes its time. */
  private async heard(asked: Promise<Answer>): Promise<Answer> {
    const late = setTimeout(() => (this.stop.hidden = false), LATE);
    this.waiting.add(late);
    this.body.setAttribute("aria-busy", "true");
    const answer = await asked;
    clearTimeout(late);
    this.waiting.delete(late);
    if (this.waiting.size === 0) {
      this.stop.hidden = true;
      this.body.setAttribute("aria-busy", "false");
    }
    return answer;
  }

  private args(): string[] {
    return ["--target", this.look.target, ...this.look.options];
  }

  private turn(target: string): void {
    this.look.target = target;
    this.look.options = [];
    this.look.pass = undefined;
    this.element.setAttribute("aria-label", target);
    this.title.textContent = target;
    this.study = undefined;
    this.drawOptions();
    this.app.changed(true);
  }

  private tell(status: number): void {
    const { study } = this;
    const cycles = study && (study.timeline.cycles || study.report?.cycles?.longest || 0);
    const shape = study && [counted(study.code.length, "instruction"), counted(study.bytes, "byte"), cycles ? counted(cycles, "cycle") : ""].filter(Boolean).join(" · ");
    this.facts.textContent = status === 0 || status === 1 ? (shape ?? "") : "";
    const [open] = this.app.files()[0];
    const loose = this.messages.filter((message) => message.line == null || message.file !== open || status > 1 || status < 0);
    const place = ({ file, line }: Message) => (line == null || !file || file === open ? "" : `${file}:${line}: `);
    this.told.replaceChildren(...loose.slice(0, 8).map((message) => h("p", { class: message.severity }, h("strong", {}, `${place(message)}${message.severity}: `), message.message,
      ...[...(message.notes ?? []), ...(message.help ?? [])].map((text) => h("span", { class: "help" }, text)))));
  }

  private draw(): void {
    const { study } = this;
    if (!study) return;
    const view: View = {
      app: this.app, pane: this.look, target: this.target, machine: this.machine, study, args: this.args(),
      point: (line, reveal) => this.point(line, reveal), explain: (line) => this.explain(line),
    };
    const top = this.body.scrollTop;
    this.shown = MAKERS[this.look.tab](view);
    this.body.replaceChildren(this.shown.element);
    this.body.scrollTop = top;
    this.explained.hidden = this.look.tab !== "code" || this.explained.hidden;
  }

  private point(line: number | undefined, reveal = false): void {
    const at = line === undefined ? undefined : this.study?.code[line]?.place;
    const file = at ? this.study!.sources[at[0]] : undefined;
    this.app.light(at && file === this.app.files()[0][0] ? [at] : [], this, reveal);
  }

  /** Asks what an instruction is, a moment after it was pointed at. */
  private explain(line: number): void {
    clearTimeout(this.explaining);
    const words = this.study?.code[line]?.whole ?? [];
    const settings = this.look.options.flatMap((word, n) => (word === "-m" ? ["-m", this.look.options[n + 1]] : []));
    this.explaining = setTimeout(async () => {
      const answer = await this.machine.ask("explain", "explain", [this.look.target, ...settings, "--", ...words], []);
      if (answer.status === -2) return;
      this.explained.hidden = false;
      const lines = String(answer.results[""] ?? answer.text).trimEnd().split("\n");
      this.explained.replaceChildren(h("pre", { tabindex: 0 }, ...lines.map((line) => h("span", { class: "line" }, narrow(line)))));
    }, 60);
  }

  private drawTabs(): void {
    const buttons = TABS.map((tab) => h("button", { type: "button", role: "tab", id: `${this.body.id}-${tab}`, "aria-controls": this.body.id, "aria-selected": String(tab === this.look.tab), tabindex: tab === this.look.tab ? 0 : -1, onclick: () => this.open(tab) }, NAMES[tab]));
    this.tabs.replaceChildren(...buttons);
    this.body.setAttribute("aria-labelledby", `${this.body.id}-${this.look.tab}`);
    this.tabs.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      this.open(TABS[(TABS.indexOf(this.look.tab) + by + TABS.length) % TABS.length]);
      this.tabs.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
    };
  }

  private open(tab: Tab): void {
    this.look.tab = tab;
    this.drawTabs();
    this.body.scrollTop = 0;
    this.draw();
    this.app.changed();
  }

  /** Fields for everything that the target lets one choose, and a line for the rest. */
  private drawOptions(): void {
    const { settings, machine: text } = this.target;
    this.about.textContent = text;
    const words = h("input", { type: "text", value: this.look.options.join(" "), "aria-label": "options as on the command line", spellcheck: "false", placeholder: "--effort 2 -D NAME=1" });
    const set = (options: string[]) => {
      this.look.options = options;
      this.app.changed(true);
    };
    words.addEventListener("change", () => (set(words.value.split(/\s+/).filter(Boolean)), this.drawOptions()));
    const chosen = new Map(this.look.options.flatMap((word, n, all) => (all[n - 1] === "-m" ? [word.split("=") as [string, string]] : [])));
    const field = ({ name, about }: { name: string; about: string }) => {
      const input = h("input", { type: "text", value: chosen.get(name) ?? "", size: 8 });
      input.addEventListener("change", () => {
        const rest = this.look.options.filter((word, n, all) => !(word.startsWith(`${name}=`) && all[n - 1] === "-m") && !(word === "-m" && all[n + 1]?.startsWith(`${name}=`)));
        set(input.value ? [...rest, "-m", `${name}=${input.value}`] : rest);
        words.value = this.look.options.join(" ");
      });
      return h("label", { class: "field" }, h("span", {}, name), input, h("small", {}, about));
    };
    const open = this.options.open;
    const fields = settings.filter(({ name }) => !name.includes(".")).map(field);
    this.options.replaceChildren(h("summary", {}, "Options"), h("div", { class: "grid" }, h("label", { class: "field wide" }, h("span", {}, "as on the command line"), words), ...fields));
    this.options.open = open;
  }
}
