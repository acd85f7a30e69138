// The library outside of a browser, as web/src/worker.ts loads it: the front and the files of some targets.

import { readFileSync } from "node:fs";

const lib = new URL("../dist/lib/", import.meta.url);
let loads = 0;

/** A machine of its own with some targets: `ask` answers as a worker does, and tells of a trap as one does. */
export async function load(...targets) {
  let panic;
  globalThis.chiaroPanicked = (message) => (panic ??= message);
  // Every address is a module of its own, with a memory of its own.
  const library = await import(new URL(`front.js?${++loads}`, lib).href);
  const front = library.initSync({ module: readFileSync(new URL("front.wasm", lib)) });
  for (const target of targets) await WebAssembly.instantiate(readFileSync(new URL(`${target}.wasm`, lib)), { front });
  library.listen();
  const ask = (verb, args = [], files = []) => {
    panic = undefined;
    const question = new library.Question();
    args.forEach((arg) => question.arg(arg));
    for (const [name, content] of files) typeof content === "string" ? question.text(name, content) : question.bytes(name, content);
    try {
      const made = verb === "targets" ? library.targets() : library[verb](question);
      const results = Object.fromEntries(made.names.map((name) => [name, made.string(name)]));
      const bytes = (name) => made.bytes(name);
      return { status: made.status, messages: made.messages.split("\n").filter(Boolean).map((line) => JSON.parse(line)), text: made.text, results, bytes };
    } catch (error) {
      return { trap: panic ?? String(error) };
    }
  };
  return { ask, exports: Object.keys(library) };
}
