// What registers hold at a step, as far as the recording shows it: what was written before, and what the first reader
// found. crates/chiaro-dap/src/registers.rs says the same to debuggers.

import type { Step } from "./facts";

/** Bits by register, and by component or lane; what nobody has touched is undefined. */
export type Registers = Map<string, (number | undefined)[]>;

/** Steps between two states that are kept. */
const INTERVAL = 256;

/** Gives the registers behind a step of a thread. */
export function states(steps: Step[]): (at: number) => Registers {
  const kept: Registers[] = [];
  const state = initial(steps);
  steps.forEach((step, n) => {
    if (n % INTERVAL === 0) kept.push(copy(state));
    apply(state, step);
  });
  return (at) => {
    const number = Math.floor(at / INTERVAL);
    const state = copy(kept[number] ?? new Map());
    for (const step of steps.slice(number * INTERVAL, at + 1)) apply(state, step);
    return state;
  };
}

/** Registers that a step wrote, without components. */
export function written(step: Step | undefined): Set<string> {
  return new Set([...Object.keys(step?.writes ?? {}).map((name) => apart(name).register), ...(step?.results ?? []).map(([unit]) => unit)]);
}

/** What is read before it is written was there at the beginning. */
function initial(steps: Step[]): Registers {
  const [state, known]: Registers[] = [new Map(), new Map()];
  for (const step of steps) {
    for (const [name, bits] of Object.entries(step.reads)) {
      const { register, components } = apart(name);
      const isOld = (component: number) => known.get(register)?.[component] === undefined && state.get(register)?.[component] === undefined;
      bits.forEach((value, n) => isOld(components?.[n] ?? n) && put(state, register, components?.[n] ?? n, value));
    }
    apply(known, step);
  }
  return state;
}

function apply(state: Registers, step: Step): void {
  for (const [name, bits] of Object.entries(step.writes)) {
    const { register, components } = apart(name);
    bits.forEach((value, n) => put(state, register, components?.[n] ?? n, value));
  }
  for (const [unit, bits] of step.results) put(state, unit, 0, bits);
}

function put(state: Registers, register: string, component: number, bits: number): void {
  const values = state.get(register) ?? [];
  while (values.length < component) values.push(undefined);
  values[component] = bits;
  state.set(register, values);
}

/** `r0.xz` is `r0` with components 0 and 2; of an indexed register (`c4[a0.x] = c7`) that which was meant. */
function apart(name: string): { register: string; components?: number[] } {
  const meant = name.split(" = ").at(-1)!;
  const [, register, letters] = /^([^.]+)\.([xyzw]+)$/.exec(meant) ?? [];
  return register ? { register, components: [...letters].map((letter) => "xyzw".indexOf(letter)) } : { register: meant };
}

const copy = (state: Registers): Registers => new Map([...state].map(([name, values]) => [name, [...values]]));
