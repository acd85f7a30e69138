// When each instruction of one wave issues, what it waits for, when its result is there.

import type { Shown, View } from "../app";
import { h, s, table } from "../dom";

const ROW = 18;
const LABEL = 230;
const MOST = 600;

export function timeline(view: View): Shown {
  const { study } = view;
  const { timeline, anatomy } = study;
  if (timeline.events.length === 0) return { element: h("div", { class: "prose" }, h("p", {}, "This target does not say what its instructions take.")) };
  const facts = [
    `${timeline.cycles} cycles of a wave${timeline.whole ? "" : ", not to the end"}, loops with ${timeline.rounds} rounds`,
    timeline.each === null ? "" : `${timeline.each} cycles each where ${anatomy.waves!.used} run side by side`,
    `error against the machine: ${study.error}`,
    anatomy.omits.length > 0 ? `left out: ${anatomy.omits.join("; ")}` : "",
  ];
  const waited = [...timeline.waited.map(([why, n]) => [`waited: ${why}`, n]), ...timeline.busy.map(([name, n]) => [`works: ${name}`, n])];
  const figures = anatomy.figures.map((figure) => [figure.name, figure.cycles, `${figure.grade}: ${figure.source}`]);
  return {
    element: h("div", { class: "prose" },
      h("p", {}, ...facts.filter(Boolean).flatMap((fact) => [fact, h("br")])),
      h("div", { class: "scroll wide", tabindex: 0, role: "region", "aria-label": "timeline" }, picture(view)),
      h("h3", {}, "Where cycles go"), table("Where cycles go", ["what", "cycles"], waited),
      h("h3", {}, "What times rest on"), table("What times rest on", ["what", "cycles", "source"], figures)),
  };
}

function picture(view: View): SVGElement {
  const { timeline, anatomy, code } = view.study;
  const events = timeline.events.slice(0, MOST);
  const end = Math.max(...events.map((event) => event.done), 1);
  const scale = Math.max(3, Math.min(16, 720 / end));
  const critical = new Set(timeline.critical);
  const x = (cycle: number) => LABEL + cycle * scale;
  const rows = events.map((event, n) => {
    const line = anatomy.instructions[event.instruction]?.line ?? null;
    const text = line === null ? "" : code[line].text;
    const y = n * ROW;
    const point = () => line !== null && view.point(line);
    const waits = event.waits.map((wait) => `waits ${wait.cycles} for ${wait.why} (${wait.what})`);
    return s("g", { class: critical.has(n) ? "event critical" : "event", "data-cause": anatomy.instructions[event.instruction]?.cause, onmouseenter: point, onclick: () => line !== null && view.explain(line) },
      s("title", {}, [`${text}`, `issues at ${event.issue}, done at ${event.done}`, ...waits].join("\n")),
      s("rect", { class: "row", x: 0, y, width: x(end) + 20, height: ROW }),
      s("text", { x: 6, y: y + 13 }, text.length > 32 ? `${text.slice(0, 31)}…` : text),
      event.issue > event.arrives && s("rect", { class: "wait", x: x(event.arrives), y: y + 6, width: (event.issue - event.arrives) * scale, height: ROW - 12 }),
      s("rect", { class: "work", x: x(event.issue), y: y + 3, width: Math.max((event.done - event.issue) * scale, 2), height: ROW - 6, rx: 2 }));
  });
  const ticks = Array.from({ length: Math.floor(end / step(end)) + 1 }, (_, n) => n * step(end));
  const height = events.length * ROW;
  return s("svg", { width: x(end) + 20, height: height + 20, role: "img", "aria-label": `${events.length} instructions over ${end} cycles; the tables below say the same`, class: "timeline" },
    ...ticks.map((tick) => s("g", { class: "tick" }, s("line", { x1: x(tick), x2: x(tick), y1: 0, y2: height }), s("text", { x: x(tick), y: height + 14, "text-anchor": "middle" }, tick))),
    ...rows);
}

const step = (end: number) => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((n) => end / n <= 12) ?? 10_000;
