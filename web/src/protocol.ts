// What the page and a worker say to each other.

/** A file in memory. */
export type File = [name: string, content: string | Uint8Array];

/** The library's functions: those of crates/chiaro-wasm/src/ask.rs. */
export type Verb =
  | "targets" | "compile" | "study" | "trace" | "abi" | "assemble" | "disassemble" | "explain" | "run" | "draw" | "call";

/** A question, and which results are wanted: as text, as bytes, or as pixels. */
export interface Question {
  id: number;
  verb: Verb;
  args: string[];
  files: File[];
  want: Record<string, "text" | "bytes" | "pixels">;
}

/** Text in the place of another. */
export interface Edit {
  with: string;
  file: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}

/** A message of the library: docs/builds.md. */
export interface Message {
  severity: "error" | "warning" | "note" | "remark";
  message: string;
  file?: string | null;
  line?: number | null;
  column?: number | null;
  end_line?: number | null;
  end_column?: number | null;
  notes?: string[];
  help?: string[];
  /** The rule of the hardware that is broken. */
  rule?: string | null;
  /** What mends it, where that is mechanical: any one of them. */
  fixes?: { title: string; edits: Edit[] }[];
}

export interface Answer {
  id: number;
  /** 0 done, 1 the input is at fault, 2 the question is, 101 chiaro is, -1 it was stopped. */
  status: number;
  messages: Message[];
  text: string;
  results: Record<string, string | Uint8Array>;
  millis: number;
}

/** What a worker sends: that it is ready, an answer, or its last words. */
export type Said = { ready: true } | { panic: string } | Answer;
