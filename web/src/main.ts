// The page: sources at the left, panes at the right, everything in the address.

import type { App } from "./app";
import { choice, h, settled } from "./dom";
import { Editor } from "./editor";
import { EXAMPLES, LESSONS, type Example } from "./content";
import type { Place, Target } from "./facts";
import { Lesson } from "./lesson";
import { FILES, front } from "./library";
import { Pane } from "./pane";
import type { Message } from "./protocol";
import { read, written } from "./share";
import { fileName, files, sanitised, type Inputs, type Pane as Look, type State } from "./state";

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

class Page implements App {
  state!: State;
  private panes: Pane[] = [];
  private readonly editor: Editor;
  private readonly lesson: Lesson;
  private readonly save = settled(400, async () => history.replaceState(null, "", `#${await written(this.state)}`));

  constructor(readonly targets: Target[]) {
    this.editor = new Editor(find("editor"), {
      changed: (text) => this.typed(text),
      pointed: (line, column) => this.pointed(line, column),
    });
    this.lesson = new Lesson(this, find("lesson"));
    this.controls();
  }

  files() {
    return files(this.state);
  }

  /** Shows a state from the start. */
  load(state: State): void {
    this.state = state;
    this.drawSources();
    this.panes = state.panes.map((pane) => new Pane(this, pane));
    find("panes").replaceChildren(...this.panes.map((pane) => pane.element));
    this.showSource();
    this.lesson.show(state.lesson);
    this.update();
  }

  changed(again = false): void {
    this.save();
    if (again) this.update();
  }

  light(places: Place[], from?: object, reveal = false): void {
    this.editor.light(places, reveal);
    const name = this.files()[0][0];
    const at = places[0];
    for (const pane of this.panes) if (pane !== from) pane.light((place, file) => at !== undefined && file === name && place[1] === at[1]);
  }

  say(text: string): void {
    find("status").textContent = text;
  }

  ran(inputs: Inputs, from: Look): void {
    this.state.inputs = inputs;
    this.save();
    for (const pane of this.panes) if (pane.look !== from) pane.ran();
  }

  close(pane: object): void {
    if (this.panes.length === 1) return this.say("the last pane stays");
    const n = this.panes.indexOf(pane as Pane);
    this.panes[n].element.remove();
    this.panes.splice(n, 1);
    this.state.panes.splice(n, 1);
    this.changed();
  }

  private typed(text: string): void {
    this.state.sources[this.state.open].text = text;
    this.save();
    this.update();
  }

  private update(): void {
    const name = this.files()[0][0];
    for (const pane of this.panes) {
      void pane.update().then(() => {
        this.tell(name);
        this.lesson.made(pane);
      });
    }
  }

  /** Messages of all panes, each once: most are said for every target. */
  private tell(name: string): void {
    if (name !== this.files()[0][0]) return;
    const all = new Map<string, Message>();
    for (const message of this.panes.flatMap((pane) => pane.said)) all.set(JSON.stringify(message), message);
    this.editor.tell([...all.values()], name);
    const count = (severity: string) => [...all.values()].filter((message) => message.severity === severity).length;
    const [errors, warnings] = [count("error"), count("warning")];
    this.say(errors + warnings === 0 ? "" : [errors ? `${errors} error${errors > 1 ? "s" : ""}` : "", warnings ? `${warnings} warning${warnings > 1 ? "s" : ""}` : ""].filter(Boolean).join(", "));
  }

  private pointed(line: number | undefined, column: number): void {
    const name = this.files()[0][0];
    const covers = ([, first, from, last, to]: Place) => line !== undefined && first <= line && line <= last && (first < line || from <= column) && (last > line || column <= to);
    const exact = this.panes.some((pane) => pane.code?.code.some(({ place }) => place && covers(place)));
    for (const pane of this.panes) pane.light((place, file) => file === name && (exact ? covers(place) : place[1] === line));
  }

  private showSource(): void {
    const { name, text } = this.state.sources[this.state.open];
    this.editor.show(text, name);
    find<HTMLInputElement>("name").value = name;
  }

  private drawSources(): void {
    const { sources, open } = this.state;
    const open_ = (n: number) => {
      this.state.open = n;
      this.drawSources();
      this.showSource();
      this.changed(true);
    };
    const tab = (name: string, n: number) => h("button", { type: "button", "aria-pressed": String(n === open), onclick: () => open_(n) }, name);
    const add = () => {
      const fragment = sources.some(({ name }) => name.endsWith(".frag"));
      sources.push({ name: fragment ? `source${sources.length}.vert` : `source${sources.length}.frag`, text: "" });
      open_(sources.length - 1);
    };
    find("sources").replaceChildren(...sources.map(({ name }, n) => tab(name, n)), h("button", { type: "button", class: "icon", "aria-label": "add a source", title: "add a source", onclick: add }, "+"));
  }

  private controls(): void {
    const name = find<HTMLInputElement>("name");
    name.addEventListener("change", () => {
      name.value = this.state.sources[this.state.open].name = fileName(name.value);
      this.drawSources();
      this.showSource();
      this.changed(true);
    });
    find("add").addEventListener("click", () => {
      const used = new Set(this.state.panes.map((pane) => pane.target));
      const target = this.targets.find((target) => !used.has(target.name)) ?? this.targets[0];
      this.state.panes.push({ target: target.name, tab: this.state.panes[0]?.tab ?? "code", options: [] });
      const pane = new Pane(this, this.state.panes.at(-1)!);
      this.panes.push(pane);
      find("panes").append(pane.element);
      this.changed(true);
      pane.element.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
    find("share").addEventListener("click", () => void this.share());
    find("theme").addEventListener("click", turnTheme);
    const groups = (all: Example[]) => Map.groupBy(all, (example) => example.group);
    const select = choice("Examples", [], "", () => {}).querySelector("select")!;
    select.replaceChildren(h("option", { value: "" }, "Examples…"), ...[...groups(EXAMPLES)].map(([group, all]) => h("optgroup", { label: group }, ...all.map(({ id, title }) => h("option", { value: id }, title)))),
      h("optgroup", { label: "Lessons" }, ...LESSONS.map(({ id, title, target }) => h("option", { value: `lesson:${id}` }, `${target}: ${title}`))));
    select.setAttribute("aria-label", "examples and lessons");
    select.addEventListener("change", () => {
      const [kind, id] = select.value.includes(":") ? select.value.split(":") : ["", select.value];
      const all = kind ? LESSONS : EXAMPLES;
      const found = all.find((one) => one.id === id);
      select.value = "";
      if (found) this.load(stateOf(found, kind ? id : undefined)), this.save();
    });
    find("examples").append(select);
  }

  private async share(): Promise<void> {
    const link = new URL(location.href);
    link.hash = await written(this.state);
    history.replaceState(null, "", link.hash);
    try {
      await navigator.clipboard.writeText(link.href);
      this.say(`the link is copied: ${link.href.length} characters`);
    } catch {
      this.say(`the link is in the address bar: ${link.href.length} characters`);
    }
  }
}

/** A copy, since what is loaded is edited. */
export function stateOf(example: Pick<Example, "sources" | "panes" | "inputs">, lesson?: string): State {
  const { sources, panes, inputs } = structuredClone({ sources: example.sources, panes: example.panes, inputs: example.inputs ?? {} });
  return { sources, open: 0, panes: panes.map(({ target, tab = "code", options = [] }) => ({ target, tab, options })), inputs, lesson };
}

function turnTheme(): void {
  const root = document.documentElement;
  const isDark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

async function begin(): Promise<void> {
  void front();
  const targets = (await (await fetch("targets.json")).json()) as Target[];
  const names = targets.map((target) => target.name);
  for (const { name, file } of targets) FILES.set(name, file);
  const page = new Page(targets);
  const fromLink = async () => (location.hash.length > 1 ? sanitised(await read(location.hash), names) : undefined);
  page.load((await fromLink()) ?? stateOf(EXAMPLES[0]));
  addEventListener("hashchange", async () => {
    const state = await fromLink();
    if (state) page.load(state);
  });
  if ("serviceWorker" in navigator) await navigator.serviceWorker.register("sw.js").catch(() => undefined);
}

try {
  const theme = localStorage.getItem("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // As above.
}
begin().catch((error) => {
  find("status").textContent = `the page did not start: ${error instanceof Error ? error.message : error}`;
});
