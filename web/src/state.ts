// All that a link holds.

export const TABS = ["code", "ir", "spirv", "report", "timeline", "flow", "occupancy", "run", "step", "draw"] as const;
export type Tab = (typeof TABS)[number];

export interface Source { name: string; text: string }

/** A pane: a target and what of it is seen. `options` are words for the command line. */
export interface Pane { target: string; tab: Tab; options: string[]; pass?: number }

/** What a program is run on, as `chiaro run --inputs` reads it. */
export interface Inputs {
  uniforms?: Record<string, unknown>;
  buffers?: Record<string, unknown>;
  push?: Record<string, unknown>;
  images?: Record<string, unknown>;
  vertices?: Record<string, unknown>[];
  fragments?: Record<string, unknown>[];
  groups?: number[];
  size?: [number, number];
}

export interface State {
  sources: Source[];
  open: number;
  panes: Pane[];
  inputs: Inputs;
  lesson?: string;
}

/** Longest text of a link: what is larger belongs in files. */
export const LARGEST = 1 << 20;

/** The state as files of the library, the open source first. */
export function files(state: State): [name: string, text: string][] {
  const open = state.sources[state.open];
  return [open, ...state.sources.filter((source) => source !== open)].map(({ name, text }) => [name, text]);
}

/** Takes foreign data for a state, piece by piece: what has another shape is left out. */
export function sanitised(given: unknown, targets: string[]): State | undefined {
  if (!isObject(given) || !Array.isArray(given.sources)) return undefined;
  const sources = given.sources.filter(isObject).slice(0, 8).map((source) => ({
    name: fileName(source.name),
    text: typeof source.text === "string" ? source.text.slice(0, LARGEST) : "",
  }));
  if (sources.length === 0) return undefined;
  const panes = (Array.isArray(given.panes) ? given.panes : []).filter(isObject).slice(0, 5).map((pane) => ({
    target: targets.find((target) => target === pane.target) ?? targets[0],
    tab: TABS.find((tab) => tab === pane.tab) ?? "code",
    options: (Array.isArray(pane.options) ? pane.options : []).filter((word): word is string => typeof word === "string").slice(0, 32),
    pass: typeof pane.pass === "number" ? pane.pass : undefined,
  }));
  return {
    sources,
    open: typeof given.open === "number" && sources[given.open] ? given.open : 0,
    panes: panes.length > 0 ? panes : [{ target: targets[0], tab: "code", options: [] }],
    inputs: shaped(given.inputs),
    lesson: typeof given.lesson === "string" ? given.lesson : undefined,
  };
}

/** Inputs as far as they have the shape of some: what is in them the library says. */
export function shaped(given: unknown): Inputs {
  if (!isObject(given)) return {};
  const { uniforms, buffers, push, images, vertices, fragments, groups, size, ...rest } = given;
  const objects = Object.entries({ uniforms, buffers, push, images }).filter(([, value]) => isObject(value));
  const rows = Object.entries({ vertices, fragments }).filter(([, value]) => Array.isArray(value) && value.every(isObject));
  const numbers = Object.entries({ groups, size }).filter(([name, value]) => Array.isArray(value) && value.every((one) => typeof one === "number") && (name === "groups" || value.length === 2));
  return { ...rest, ...Object.fromEntries([...objects, ...rows, ...numbers]) };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** A name without folders, which means nothing to a command line. */
export function fileName(given: unknown): string {
  const name = typeof given === "string" ? given.replace(/[^\w.-]/g, "_").replace(/^[-.]+/, "").slice(0, 64) : "";
  return name || "shader.vert";
}
