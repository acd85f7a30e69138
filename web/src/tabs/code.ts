// Machine code: what an instruction comes from, what it waits for.

import type { Shown, View } from "../app";
import { h, unique } from "../dom";

export function code(view: View): Shown {
  const { study } = view;
  const id = unique("code");
  const waits = waitsOf(view);
  const causes = new Map(study.anatomy.instructions.map((one) => [one.line, one.cause]));
  const rows = study.code.map((line, n) => {
    const cause = causes.get(n);
    const wait = waits.get(n);
    return h("div", { class: "row", role: "option", id: `${id}-${n}`, "aria-selected": "false", "data-line": n, "data-cause": cause },
      h("span", { class: "at" }, n.toString(16).padStart(3, "0")),
      h("span", { class: "words" }, line.words.join(" ")),
      h("span", { class: "text" }, line.text),
      h("span", { class: "from" }, line.place ? String(line.place[1]) : ""),
      h("span", { class: "wait", title: wait?.title }, wait ? `+${wait.cycles}` : ""));
  });
  const width = Math.min(Math.max(...study.code.map((line) => line.words.length * 9 - 1), 5), 35);
  const list = h("div", { class: "listing", role: "listbox", tabindex: 0, "aria-label": `machine code for ${study.target}` }, ...rows);
  let active = -1;
  const choose = (n: number, reveal: boolean) => {
    if (n < 0 || n >= rows.length || n === active) return;
    rows[active]?.setAttribute("aria-selected", "false");
    rows[(active = n)].setAttribute("aria-selected", "true");
    list.setAttribute("aria-activedescendant", rows[n].id);
    if (reveal) rows[n].scrollIntoView({ block: "nearest" });
    view.point(n, reveal);
    view.explain(n);
  };
  list.addEventListener("mouseover", (event) => {
    const row = (event.target as Element).closest<HTMLElement>(".row");
    if (row) choose(Number(row.dataset.line), false);
  });
  list.addEventListener("mouseleave", () => view.point(undefined));
  list.addEventListener("click", (event) => {
    const row = (event.target as Element).closest<HTMLElement>(".row");
    if (row) view.point(Number(row.dataset.line), true);
  });
  list.addEventListener("keydown", (event) => {
    const to: Record<string, number> = { ArrowDown: active + 1, ArrowUp: Math.max(active - 1, 0), Home: 0, End: rows.length - 1 };
    if (!(event.key in to)) return;
    event.preventDefault();
    choose(Math.min(to[event.key], rows.length - 1), true);
  });
  const light = (lines: Set<number>) => rows.forEach((row, n) => row.classList.toggle("lit", lines.has(n)));
  const head = h("div", { class: "row head", "aria-hidden": "true" },
    h("span", { class: "at" }, "at"), h("span", { class: "words" }, "words"), h("span", { class: "text" }, "instruction"),
    h("span", { class: "from" }, "line"), h("span", { class: "wait" }, "waits"));
  return { element: h("div", { class: `code wide-${Math.ceil((width + 1) / 9)}` }, head, list), light };
}

/** Cycles that instructions wait in the timeline, the first time that they run. */
function waitsOf({ study }: View): Map<number, { cycles: number; title: string }> {
  const found = new Map<number, { cycles: number; title: string }>();
  for (const event of study.timeline.events) {
    const line = study.anatomy.instructions[event.instruction]?.line;
    const cycles = event.waits.reduce((sum, wait) => sum + wait.cycles, 0);
    if (line == null || cycles === 0 || found.has(line)) continue;
    found.set(line, { cycles, title: event.waits.map((wait) => `${wait.cycles} for ${wait.why} (${wait.what})`).join(", ") });
  }
  return found;
}
