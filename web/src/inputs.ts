// What a program is run on: fields by the names and shapes that the library tells, and all of it as JSON.

import type { Shape, Study, Variable } from "./facts";
import { h, settled } from "./dom";
import { shaped, type Inputs } from "./state";

const ROWS = 3;
const MOST_ROWS = 256;

type Work = "vertices" | "fragments" | "groups";

export function workOf(study: Study, stages: string[]): Work {
  const stage = study.interface?.find((variable) => variable.stage)?.stage ?? (study.local_size ? "compute" : stages[0]);
  return stage === "compute" ? "groups" : stage === "fragment" ? "fragments" : "vertices";
}

/** Inputs for everything that a program reads; what is there already stays. */
export function completed(study: Study, anything: Inputs, work: Work): Inputs {
  const given = shaped(anything);
  const inputs: Inputs = { ...given };
  const variables = study.interface ?? assumed(study);
  const uniforms = variables.filter((variable) => variable.kind === "uniform");
  const missing = uniforms.filter(({ name }) => value(given.uniforms, name) === undefined);
  if (missing.length > 0) inputs.uniforms = missing.reduce((all, { name, shape }) => put(all, name, start(shape)), given.uniforms ?? {});
  for (const { name, shape } of variables.filter((variable) => variable.kind === "buffer")) {
    if (value(given.buffers, name) !== undefined || given.buffers?.[name.split(".")[0]] !== undefined || Object.keys(given.buffers ?? {}).length > 0) continue;
    inputs.buffers = { ...inputs.buffers, [name]: shape.counts.includes(null) ? Array.from({ length: 32 }, (_, n) => n) : start(shape) };
  }
  for (const { name } of variables.filter((variable) => variable.kind === "image" && variable.shape.scalar === "image")) {
    if (given.images?.[name] === undefined) inputs.images = { ...inputs.images, [name]: chequered() };
  }
  if (work === "groups") return { ...only(inputs, work), groups: given.groups ?? [1, 1, 1] };
  const columns = variables.filter((variable) => variable.kind === "input");
  const rows = given[work] ?? given.vertices ?? given.fragments ?? Array.from({ length: work === "fragments" ? 4 : ROWS }, () => ({}));
  const row = (n: number, old: Record<string, unknown>) => columns.reduce((all, { name, shape }) => (name in old ? all : { ...all, [name]: corner(shape, n) }), old);
  return { ...only(inputs, work), [work]: rows.slice(0, MOST_ROWS).map((old, n) => row(n, old)) };
}

function only(inputs: Inputs, work: Work): Inputs {
  const { vertices: _v, fragments: _f, groups: _g, ...rest } = inputs;
  return inputs[work] === undefined ? rest : { ...rest, [work]: inputs[work] };
}

/** Assembly says names and no shapes: all are vectors. */
function assumed(study: Study): Variable[] {
  const kinds: Record<string, Variable["kind"]> = { input: "input", uniform: "uniform" };
  return (study.report?.variables ?? []).filter(({ kind }) => kind in kinds).map(({ kind, name }) => ({
    stage: null, kind: kinds[kind], name, shape: { scalar: "float", rows: 4, counts: [] }, location: null, writable: false,
  }));
}

/** A value to begin with: matrices are those that change nothing, the rest is one. */
function start(shape: Shape): unknown {
  const [count, ...inner] = shape.counts;
  if (count === undefined || count === null) return vector(shape, (k) => (shape.scalar === "float" ? [1, 0.8, 0.6, 1][k] : 1));
  if (inner.length === 0 && count === shape.rows && count > 1) return Array.from({ length: count }, (_, column) => vector(shape, (row) => (row === column ? 1 : 0)));
  return Array.from({ length: Math.min(count, 64) }, () => start({ ...shape, counts: inner }));
}

/** Corners of a triangle and further, so that rows differ. */
function corner(shape: Shape, n: number): unknown {
  const [x, y] = [[-0.8, -0.8], [0.8, -0.8], [0, 0.8], [0.8, 0.8]][n % 4];
  if (shape.counts.length > 0) return start(shape);
  return vector(shape, (k) => (shape.scalar === "float" ? [x, y, 0, 1][k] : n));
}

const vector = (shape: Shape, of: (k: number) => number): unknown => {
  const all = Array.from({ length: shape.rows }, (_, k) => (shape.scalar === "bool" ? of(k) > 0 : of(k)));
  return shape.rows === 1 ? all[0] : all;
};

function chequered(): unknown {
  const texels = Array.from({ length: 64 }, (_, n) => ((n + (n >> 3)) % 2 ? [0.95, 0.9, 0.8, 1] : [0.2, 0.3, 0.4, 1]));
  return { size: [8, 8], texels, filter: "linear", wrap: "repeat" };
}

/** The value of `light.colour` in `{light: {colour: …}}`, or in `{"light.colour": …}`. */
function value(all: Record<string, unknown> | undefined, name: string): unknown {
  if (all && Object.hasOwn(all, name)) return all[name];
  return name.split(".").reduce<unknown>((at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined), all);
}

/** The same with another value. Names such as `__proto__` are names like others. */
function put(all: Record<string, unknown>, name: string, to: unknown): Record<string, unknown> {
  const [key, ...rest] = Object.hasOwn(all, name) ? [name] : name.split(".");
  const inner = typeof all[key] === "object" && all[key] !== null && !Array.isArray(all[key]) ? (all[key] as Record<string, unknown>) : {};
  const changed: [string, unknown] = [key, rest.length > 0 ? put(inner, rest.join("."), to) : to];
  return Object.fromEntries([...Object.entries(all).filter(([known]) => known !== key), changed]);
}

/** Fields for inputs; `change` hears every change. */
export function fields(study: Study, given: Inputs, work: Work, change: (inputs: Inputs) => void): HTMLElement {
  let inputs = given;
  const set = (to: Inputs) => change((inputs = to));
  return h("div", { class: "inputs" },
    uniforms(study, () => inputs, set),
    work === "groups" ? groups(inputs, set) : rows(work, inputs, set),
    whole(() => inputs, set));
}

/** A slider for every uniform; nothing where there is none. */
export function uniforms(study: Study, inputs: () => Inputs, set: (to: Inputs) => void): HTMLElement | false {
  const known = (study.interface ?? assumed(study)).filter(({ kind, shape }) => kind === "uniform" && shape.scalar !== "image" && shape.scalar !== "sampler");
  const change = (name: string) => (to: unknown) => set({ ...inputs(), uniforms: put(inputs().uniforms ?? {}, name, to) });
  const sliders = known.map((variable) => uniform(variable, value(inputs().uniforms, variable.name), change(variable.name)));
  return sliders.length > 0 && h("details", { open: true }, h("summary", {}, "Uniforms"), h("div", { class: "uniforms" }, ...sliders));
}

function uniform({ name, shape }: Variable, given: unknown, change: (to: unknown) => void): HTMLElement {
  let now = given;
  const edit = (path: number[], to: unknown) => change((now = replaced(now, path, to)));
  const leaf = (path: number[], at: unknown): HTMLElement => {
    const label = name + path.map((n) => `[${n}]`).join("");
    if (Array.isArray(at)) return h("div", { class: at.some(Array.isArray) ? "matrix" : "vector" }, ...at.slice(0, 16).map((part, n) => leaf([...path, n], part)));
    if (typeof at === "boolean") return h("input", { type: "checkbox", checked: at, "aria-label": label, onchange: ((event: globalThis.Event) => edit(path, (event.target as HTMLInputElement).checked)) as never });
    return slider(label, at, shape.scalar === "int", (to) => edit(path, to), path.length < 2 && !isMatrix(given));
  };
  return h("div", { class: "uniform", role: "group", "aria-label": name }, h("span", { class: "name" }, name), leaf([], given));
}

const isMatrix = (given: unknown) => Array.isArray(given) && given.some(Array.isArray);

function slider(label: string, at: unknown, whole: boolean, change: (to: unknown) => void, slides: boolean): HTMLElement {
  const number = h("input", { type: "text", inputmode: "decimal", value: String(at), size: 6, "aria-label": label });
  const reach = Math.max(whole ? 16 : 2, Math.abs(Number(at)) * 2 || 0);
  const range = h("input", { type: "range", min: whole ? 0 : -reach, max: reach, step: whole ? 1 : reach / 200, value: Number(at) || 0, "aria-label": `${label}, slider` });
  range.addEventListener("input", () => ((number.value = range.value), change(Number(range.value))));
  number.addEventListener("input", () => {
    const to = parsed(number.value);
    number.setAttribute("aria-invalid", String(to === undefined));
    if (to === undefined) return;
    if (typeof to === "number") range.value = String(to);
    change(to);
  });
  return h("span", { class: "slider" }, slides && range, number);
}

/** A number, or one of the texts that inputs may have for numbers. */
function parsed(text: string): unknown {
  const trimmed = text.trim();
  if (/^(-?inf|nan|0x[\da-f]{1,8})$/i.test(trimmed)) return trimmed.toLowerCase();
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : undefined;
}

function replaced(at: unknown, [first, ...rest]: number[], to: unknown): unknown {
  if (first === undefined || !Array.isArray(at)) return to;
  return at.map((part, n) => (n === first ? replaced(part, rest, to) : part));
}

function rows(work: "vertices" | "fragments", inputs: Inputs, change: (to: Inputs) => void): HTMLElement {
  let now = inputs;
  const body = h("tbody");
  const all = () => now[work] ?? [];
  const names = Object.keys(all()[0] ?? {});
  const set = (to: Record<string, unknown>[]) => change((now = { ...now, [work]: to }));
  const cell = (n: number, name: string) => {
    const field = h("input", { type: "text", value: flat(all()[n][name]), "aria-label": `${name} of ${n}`, size: 14 });
    field.addEventListener("input", () => {
      const to = field.value.split(/[\s,]+/).filter(Boolean).map(parsed);
      const wrong = to.length === 0 || to.includes(undefined);
      field.setAttribute("aria-invalid", String(wrong));
      if (!wrong) set(all().map((row, k) => (k === n ? { ...row, [name]: to.length === 1 ? to[0] : to } : row)));
    });
    return h("td", {}, field);
  };
  const draw = () => body.replaceChildren(...all().map((_, n) => h("tr", {}, h("th", { scope: "row" }, n), ...names.map((name) => cell(n, name)))));
  draw();
  const more = (by: number) => {
    const last = all().at(-1) ?? {};
    set(by > 0 ? [...all(), { ...last }].slice(0, MOST_ROWS) : all().slice(0, -1));
    draw();
  };
  return h("details", { open: true }, h("summary", {}, work === "vertices" ? "Vertices" : "Fragments, four in a row a quad"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": work },
      h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "#"), ...names.map((name) => h("th", { scope: "col" }, name)))), body)),
    h("p", {}, h("button", { type: "button", onclick: () => more(1) }, "Add a row"), " ", h("button", { type: "button", onclick: () => more(-1) }, "Remove the last")));
}

const flat = (value: unknown): string => (Array.isArray(value) ? value.flat(9).join(", ") : String(value));

function groups(inputs: Inputs, change: (to: Inputs) => void): HTMLElement {
  const now = [0, 1, 2].map((n) => inputs.groups?.[n] ?? 1);
  const field = (axis: string, n: number) => {
    const input = h("input", { type: "number", min: 1, max: 64, value: now[n], "aria-label": `workgroups in ${axis}` });
    input.addEventListener("input", () => {
      now[n] = Math.max(1, Math.min(64, Math.round(Number(input.value)) || 1));
      change({ ...inputs, groups: [...now] });
    });
    return input;
  };
  return h("details", { open: true }, h("summary", {}, "Workgroups"), h("div", { class: "bar" }, ...["x", "y", "z"].map(field)));
}

/** Everything as JSON, as the command reads it. */
function whole(inputs: () => Inputs, change: (to: Inputs) => void): HTMLElement {
  const area = h("textarea", { rows: 10, spellcheck: "false", "aria-label": "inputs as JSON" });
  const wrong = h("p", { class: "wrong", role: "status" });
  const take = () => {
    try {
      const to: unknown = JSON.parse(area.value);
      if (typeof to !== "object" || to === null || Array.isArray(to)) throw new Error("an object is wanted");
      wrong.textContent = "";
      change(to as Inputs);
    } catch (error) {
      wrong.textContent = String(error instanceof Error ? error.message : error);
    }
  };
  area.addEventListener("input", settled(300, take));
  // Who leaves the field does not wait: what is looked at next is made from what stands here.
  area.addEventListener("change", take);
  const details = h("details", {}, h("summary", {}, "As JSON"), area, wrong);
  details.addEventListener("toggle", () => details.open && (area.value = JSON.stringify(inputs(), undefined, 1)));
  return details;
}

