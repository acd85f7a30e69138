// Asks the library in a thread of its own: what hangs or panics there is ended with it, and the page lives on.

import type { Answer, Message, Question, Said } from "./protocol";

interface Library {
  default(options: { module_or_path: WebAssembly.Module }): Promise<WebAssembly.ModuleImports>;
  listen(): void;
  Question: new () => { arg(text: string): void; text(name: string, text: string): void; bytes(name: string, bytes: Uint8Array): void };
  [verb: string]: unknown;
}

interface Answered {
  status: number; messages: string; text: string;
  string(name: string): string | undefined;
  bytes(name: string): Uint8Array | undefined;
  pixels(name: string): Uint8Array | undefined;
  free(): void;
}

const say = (what: Said) => postMessage(what);
/** The file of the target, which the page gives the worker as its name. */
const { name } = self;

(globalThis as { chiaroPanicked?: (message: string) => void }).chiaroPanicked = (message) => say({ panic: message });

/** What every target needs, which the page has compiled once for all. */
let given!: (front: WebAssembly.Module) => void;
const front = new Promise<WebAssembly.Module>((done) => (given = done));

const ready: Promise<Library> = (async () => {
  if (!/^[a-z0-9-]+$/.test(name)) throw new Error("no such target");
  const target = fetch(new URL(`lib/${name}.wasm`, location.href));
  const library: Library = await import(new URL("lib/front.js", location.href).href);
  // The target puts its functions into the front's table, and into its memory what they work on.
  const shared = await library.default({ module_or_path: await front });
  await WebAssembly.instantiateStreaming(target, { front: shared });
  library.listen();
  say({ ready: true });
  return library;
})();
ready.catch((error) => say({ panic: `the library did not load: ${error}` }));

function ask(library: Library, asked: Question): Answer {
  const start = performance.now();
  const question = new library.Question();
  for (const arg of asked.args) question.arg(arg);
  for (const [file, content] of asked.files) {
    if (typeof content === "string") question.text(file, content);
    else question.bytes(file, content);
  }
  const verb = library[asked.verb] as (question?: unknown) => Answered;
  const made = asked.verb === "targets" ? verb() : verb(question);
  const results: Answer["results"] = {};
  for (const [result, form] of Object.entries(asked.want)) {
    const value = form === "text" ? made.string(result) : form === "bytes" ? made.bytes(result) : made.pixels(result);
    if (value !== undefined) results[result] = value;
  }
  const messages = made.messages.split("\n").filter(Boolean).map((line) => JSON.parse(line) as Message);
  const answer = { id: asked.id, status: made.status, messages, text: made.text, results, millis: performance.now() - start };
  made.free();
  return answer;
}

onmessage = async (event: MessageEvent<Question | { front: WebAssembly.Module }>) => {
  if ("front" in event.data) return given(event.data.front);
  const library = await ready;
  try {
    say(ask(library, event.data));
  } catch (error) {
    // Nothing in the library may be used behind a trap.
    const deep = error instanceof RangeError;
    say({ panic: deep ? "the program nests too deeply for this browser" : String(error) });
  }
};
