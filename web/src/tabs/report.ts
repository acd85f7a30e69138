// What a program takes of the machine.

import type { Shown, View } from "../app";
import type { Resource } from "../facts";
import { h, table } from "../dom";

export function report({ study }: View): Shown {
  const { report, anatomy, terms } = study;
  const parts: (HTMLElement | false)[] = [
    h("h3", {}, "Resources"),
    report ? h("div", { class: "meters" }, ...report.resources.map(meter)) : h("p", {}, "this target reports nothing of containers"),
    report?.cycles ? h("p", { class: "figure" }, `${report.cycles.shortest} to ${report.cycles.longest} cycles along the shortest and the longest path`) : false,
    anatomy.causes.length > 0 && h("div", {}, h("h3", {}, "Instructions by what they are for"), causes(anatomy.causes)),
    !!report?.ports.length && h("div", {}, h("h3", {}, "Units and ports"), h("div", { class: "meters" },
      ...report.ports.map(({ name, used, available }) => meter({ name, used, allowed: available })))),
    !!report?.variables.length && h("div", {}, h("h3", {}, "Variables and their places"),
      table("Variables and their places", ["kind", "name", "place"], report.variables.map(({ kind, name, place }) => [kind, name, place]))),
    !!report?.counts.length && h("div", {}, h("h3", {}, "Statistics"),
      table("Statistics", ["name", "value"], report.counts.map(({ name, value }) => [name, value]))),
    terms.length > 0 && h("div", {}, h("h3", {}, "In vendors' terms"),
      table("In vendors' terms", ["name", "value", "unit"], terms.map(({ name, value, unit }) => [name, value, unit]))),
    !!report?.blocks.length && h("div", {}, h("h3", {}, "Blocks"),
      table("Blocks", ["instructions", "at least", "because of", "proven"], report.blocks.map((block) => [block.instructions, block.bound, block.limit, block.optimal ? "yes" : ""]))),
  ];
  return { element: h("div", { class: "prose" }, ...parts) };
}

/** How much of something is used. */
export function meter({ name, used, allowed }: Resource): HTMLElement {
  const value = h("meter", { min: 0, max: Math.max(allowed, 1), value: used, "aria-label": name });
  return h("div", { class: "meter" }, h("span", {}, name), value, h("span", { class: "number" }, `${used} of ${allowed}`));
}

function causes(all: [string, number][]): HTMLElement {
  const most = Math.max(...all.map(([, count]) => count), 1);
  return h("div", { class: "meters" }, ...all.map(([name, count]) => h("div", { class: "meter", "data-cause": name },
    h("span", { class: "cause" }, name), h("progress", { max: most, value: count, "aria-label": name }), h("span", { class: "number" }, count))));
}
