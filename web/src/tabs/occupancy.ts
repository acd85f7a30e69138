// Registers that hold something, and how many waves there is room for.

import type { Shown, View } from "../app";
import { h, s, table } from "../dom";
import { meter } from "./report";

const HEIGHT = 120;

export function occupancy(view: View): Shown {
  const { anatomy } = view.study;
  const waves = anatomy.waves;
  const curves = anatomy.files.map((file) => curve(view, file.file, file.name));
  const most = (file: number) => Math.max(...anatomy.instructions.map((one) => live(one.live, file)), 0);
  return {
    element: h("div", { class: "prose" },
      h("h3", {}, "Side by side"),
      waves ? h("div", { class: "meters" }, meter(waves)) : h("p", {}, "This machine runs one program at a time on a unit, whatever registers it takes."),
      anatomy.files.length > 0 && h("h3", {}, "Registers that hold something"),
      ...curves,
      anatomy.files.length > 0 && table("Registers by file", ["file", "named up to", "live at most"], anatomy.files.map(({ file, name, named }) => [name, named, most(file)]))),
  };
}

const live = (all: [number, number][], file: number) => all.find(([known]) => known === file)?.[1] ?? 0;

function curve(view: View, file: number, name: string): HTMLElement {
  const { instructions } = view.study.anatomy;
  const counts = instructions.map((one) => live(one.live, file));
  const most = Math.max(...counts, 1);
  const step = Math.max(3, Math.min(14, 700 / Math.max(counts.length, 1)));
  const bars = counts.map((count, n) => s("rect", {
    x: n * step, y: HEIGHT - (count / most) * HEIGHT, width: Math.max(step - 1, 1), height: (count / most) * HEIGHT,
    class: count === most ? "most" : "", onmouseenter: () => instructions[n].line !== null && view.point(instructions[n].line!),
  }, s("title", {}, `${count} behind instruction ${n}`)));
  return h("figure", {}, h("figcaption", {}, `${name}: ${most} at most`),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `pressure of ${name}` },
      s("svg", { class: "pressure", width: counts.length * step, height: HEIGHT, role: "img", "aria-label": `${name} that hold something, by instruction; ${most} at most` }, ...bars)));
}
