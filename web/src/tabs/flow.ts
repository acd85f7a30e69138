// Blocks and the ways between them: the program from top to bottom, jumps forward at the right, back at the left.

import type { Shown, View } from "../app";
import { h, s } from "../dom";

const WIDTH = 250;
const GAP = 26;
const LINE = 16;
const MOST = 200;
const SHOWN = 6;

export function flow(view: View): Shown {
  const { anatomy } = view.study;
  const { blocks } = anatomy;
  if (blocks.length === 0) return { element: h("div", { class: "prose" }, h("p", {}, "This target does not say where its instructions lead to.")) };
  const straight = blocks.length === 1 ? "one block: the code runs straight on" : `${blocks.length} blocks${blocks.length > MOST ? `, of which ${MOST} are drawn` : ""}`;
  return { element: h("div", { class: "prose" }, h("p", {}, straight), h("div", { class: "scroll wide", tabindex: 0, role: "region", "aria-label": "control flow" }, picture(view))) };
}

interface Box { y: number; height: number; lane: number }

function picture(view: View): SVGElement {
  const { anatomy, code, timeline } = view.study;
  const blocks = anatomy.blocks.slice(0, MOST);
  const waits = new Map<number, number>();
  for (const event of timeline.events) waits.set(event.instruction, Math.max(waits.get(event.instruction) ?? 0, event.issue - event.arrives));
  let y = 8;
  const lines = blocks.map((block) => anatomy.instructions.slice(block.first, block.last + 1).map((one) => (one.line === null ? "" : code[one.line].text)));
  const boxes: Box[] = lines.map((texts) => {
    const height = (Math.min(texts.length, SHOWN) + 1) * LINE + 12;
    const box = { y, height, lane: 0 };
    y += height + GAP;
    return box;
  });
  const jumps = blocks.flatMap((block, from) => block.next.filter((to) => to < blocks.length && to !== from + 1).map((to) => ({ from, to })));
  const back = lanes(jumps.filter(({ from, to }) => to <= from));
  const on = lanes(jumps.filter(({ from, to }) => to > from));
  const left = 24 + back.depth * 14;
  const right = left + WIDTH;
  const edges = [
    ...blocks.flatMap((block, from) => (block.next.includes(from + 1) && from + 1 < blocks.length ? [s("path", { class: "edge", d: `M${left + WIDTH / 2} ${bottom(boxes[from])} V${boxes[from + 1].y - 5}`, "marker-end": "url(#arrow)" })] : [])),
    ...back.all.map(({ from, to, lane }) => s("path", { class: "edge back", "marker-end": "url(#arrow)", d: around(left, left - 12 - lane * 14, bottom(boxes[from]) - 8, boxes[to].y + 10, -5) })),
    ...on.all.map(({ from, to, lane }) => s("path", { class: "edge", "marker-end": "url(#arrow)", d: around(right, right + 12 + lane * 14, bottom(boxes[from]) - 8, boxes[to].y + 10, 5) })),
  ];
  const nodes = blocks.map((block, n) => {
    const waited = Array.from({ length: block.last - block.first + 1 }, (_, k) => waits.get(block.first + k) ?? 0).reduce((a, b) => a + b, 0);
    const first = anatomy.instructions[block.first]?.line;
    const title = `block ${n}: ${block.first} to ${block.last}${waited > 0 ? `, waits ${waited}` : ""}${block.next.length > 0 ? ` → ${block.next.join(", ")}` : ", ends"}`;
    const more = lines[n].length > SHOWN ? [`… ${lines[n].length - SHOWN + 1} more`] : [];
    const shown = more.length > 0 ? [...lines[n].slice(0, SHOWN - 1), ...more] : lines[n];
    const point = () => first != null && view.point(first, true);
    return s("g", { class: "block", role: "button", tabindex: 0, onclick: point, onkeydown: ((event: KeyboardEvent) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), point())) as never },
      s("rect", { x: left, y: boxes[n].y, width: WIDTH, height: boxes[n].height, rx: 6 }),
      s("text", { class: "title", x: left + 10, y: boxes[n].y + 17 }, title),
      ...shown.map((text, k) => s("text", { x: left + 10, y: boxes[n].y + 17 + (k + 1) * LINE }, cut(text))));
  });
  const width = right + 24 + on.depth * 14;
  return s("svg", { class: "flow", width, height: y, role: "group", "aria-label": "blocks in the order of the program" },
    s("defs", {}, s("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, s("path", { d: "M0 0 L8 4 L0 8 z" }))),
    ...edges, ...nodes);
}

const cut = (text: string) => (text.length > 33 ? `${text.slice(0, 32)}…` : text);
const bottom = (box: Box) => box.y + box.height;
const around = (edge: number, out: number, from: number, to: number, gap: number) => `M${edge} ${from} H${out} V${to} H${edge + gap}`;

/** Jumps beside one another: each on the first lane where it crosses none. */
function lanes(jumps: { from: number; to: number }[]) {
  const taken: [number, number][][] = [];
  const all = jumps.map(({ from, to }) => {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    let lane = taken.findIndex((spans) => spans.every(([a, b]) => high < a || low > b));
    if (lane < 0) lane = taken.push([]) - 1;
    taken[lane].push([low, high]);
    return { from, to, lane };
  });
  return { all, depth: taken.length };
}
