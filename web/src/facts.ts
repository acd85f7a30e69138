// Shapes of what the library tells: crates/chiaro/src/host/study.rs, trace.rs and targets.rs.

export interface Pair { name: string; about: string }

export interface Target {
  /** The file that the target is loaded from. */
  file: string;
  name: string; aliases: string[]; machine: string; stages: string[]; offers: string[];
  formats: { name: string; endings: string }[];
  dialects: string[]; modes: Pair[]; settings: Pair[];
  assumptions: { name: string; values: string; about: string }[];
  limits: { name: string; limit: number }[];
}

/** File, line, column, last line, column behind it. */
export type Place = [number, number, number, number, number];

export interface CodeLine { offset: number; length: number; words: string[]; text: string; place: Place | null; /** The words to be explained. */ whole: string[] }

export interface Instruction {
  line: number | null; cause: string; half: boolean; units: [string, number][]; passes: number;
  reads: [number, number, number][]; writes: [number, number, number][]; next: number[]; live: [number, number][];
}

export interface Wait { why: string; cycles: number; what: string; on: number | null }
export interface Event { instruction: number; arrives: number; issue: number; done: number; waits: Wait[] }

export interface Shape { scalar: "float" | "int" | "bool" | "image" | "sampler"; rows: number; counts: (number | null)[] }
export interface Variable {
  stage: string | null; kind: "input" | "output" | "uniform" | "buffer" | "image" | "builtin";
  name: string; shape: Shape; location: number | null; writable: boolean;
}

export interface Resource { name: string; used: number; allowed: number }

export interface Report {
  target: string; entry: string; resources: Resource[];
  counts: { name: string; value: number }[];
  cycles: { shortest: number; longest: number } | null;
  assumptions: { name: string; value: number }[];
  ports: { name: string; used: number; available: number }[];
  blocks: { instructions: number; bound: number; limit: string; optimal: boolean }[];
  variables: { kind: string; name: string; place: string }[];
  lines: { file: string; line: number; words: number }[];
}

export interface Study {
  target: string; sources: string[]; bytes: number; code: CodeLine[];
  anatomy: {
    instructions: Instruction[]; blocks: { first: number; last: number; next: number[] }[];
    files: { file: number; name: string; named: number }[];
    waves: Resource | null;
    figures: { name: string; cycles: number; source: string; grade: string }[];
    omits: string[]; causes: [string, number][];
  };
  timeline: {
    rounds: number; cycles: number; whole: boolean; each: number | null; critical: number[];
    busy: [string, number][]; waited: [string, number][];
    loops: { first: number; last: number; round: number | null; unit: [string, number] | null }[];
    events: Event[];
  };
  report: Report | null;
  terms: { name: string; value: number; unit: string }[];
  error: string; ir: string | null;
  passes: { number: number; name: string; instructions: number }[];
  interface: Variable[] | null;
  local_size: [number, number, number] | null;
}

export interface Step {
  at: number; /** Where it begins in the code, in bytes. */ offset: number; text: string; reads: Record<string, number[]>; writes: Record<string, number[]>;
  results: [string, number][]; effects: string[]; next: number | null;
}

export interface Value { register: string; value: unknown[]; bits: string[] }
export interface Results {
  mode: string; words?: number;
  [work: string]: unknown;
}
