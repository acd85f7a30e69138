// The library as the page sees it: one worker for each target, started when it is first asked, ended when it hangs.

import type { Answer, File, Question, Said, Verb } from "./protocol";

/** Milliseconds that a question may take; a lesson of patience is no message. */
export const PATIENCE = 10_000;

interface Waiting {
  question: Question;
  done: (answer: Answer) => void;
  /** What newer questions of the same kind make needless. */
  topic: string;
}

let compiled: Promise<WebAssembly.Module> | undefined;

/** What every target needs, compiled once; who calls it early need not wait later. */
export function front(): Promise<WebAssembly.Module> {
  compiled ??= WebAssembly.compileStreaming(fetch(new URL("lib/front.wasm", document.baseURI)));
  compiled.catch(() => (compiled = undefined));
  return compiled;
}

/** Whom one can ask. */
export type Asker = Pick<Machine, "ask">;

export class Machine {
  private worker: Worker | undefined;
  private isReady = false;
  private queue: Waiting[] = [];
  private running: Waiting | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private lastWords = "";
  private next = 1;

  constructor(readonly target: string, private readonly patience = PATIENCE) {}

  /** Asks; of several questions of one topic that wait, the last alone is asked, and the others get nothing. */
  ask(topic: string, verb: Verb, args: string[], files: File[], want: Question["want"] = { "": "text" }): Promise<Answer> {
    return new Promise((done) => {
      this.queue = this.queue.filter((waiting) => {
        if (waiting.topic !== topic || !topic) return true;
        waiting.done(this.ended(waiting, -2, "a newer question came"));
        return false;
      });
      this.queue.push({ topic, done, question: { id: this.next++, verb, args, files, want } });
      this.step();
    });
  }

  /** Ends what runs, and says so. */
  stop(why = "it was stopped"): void {
    this.end(why, "ask again; the machine was started anew");
  }

  private start(): Worker {
    const worker = new Worker(new URL("worker.js", document.baseURI), { type: "module", name: FILES.get(this.target) ?? this.target });
    worker.onmessage = (event: MessageEvent<Said>) => this.heard(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.end(event.message || "the library did not load", "reload the page when there is a network");
    };
    this.isReady = false;
    front().then((front) => worker.postMessage({ front }), (error) => worker === this.worker && this.end(`the library did not load: ${error}`, "reload the page when there is a network"));
    return worker;
  }

  private step(): void {
    if (this.running || this.queue.length === 0) return;
    this.worker ??= this.start();
    this.running = this.queue.shift()!;
    this.worker.postMessage(this.running.question);
    if (this.isReady) this.watch();
  }

  private watch(): void {
    clearTimeout(this.timer);
    const seconds = this.patience / 1000;
    const tooLong = () => this.end(`it took longer than ${seconds} seconds and was stopped`, "a loop may not end, or the program is too much for this page; the command has more patience");
    if (this.running) this.timer = setTimeout(tooLong, this.patience);
  }

  private heard(said: Said): void {
    if ("ready" in said) {
      this.isReady = true;
      this.watch();
    } else if ("panic" in said) {
      // The first words tell most: behind them comes the trap.
      if (this.lastWords === "") {
        this.lastWords = said.panic;
        setTimeout(() => this.end(`chiaro stopped: ${this.lastWords}`, "this is a mistake of chiaro's: please report it with the source"), 0);
      }
    } else if (this.running?.question.id === said.id) {
      clearTimeout(this.timer);
      const { done } = this.running;
      this.running = undefined;
      done(said);
      this.step();
    }
  }

  private end(why: string, help: string): void {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.worker = undefined;
    this.lastWords = "";
    const running = this.running;
    this.running = undefined;
    running?.done(this.ended(running, -1, why, help));
    this.step();
  }

  private ended(waiting: Waiting, status: number, message: string, help?: string): Answer {
    const messages = [{ severity: "error" as const, message, help: help ? [help] : [] }];
    return { id: waiting.question.id, status, messages, text: message, results: {}, millis: 0 };
  }
}

/** Files that targets are in, by their names. */
export const FILES = new Map<string, string>();

const machines = new Map<string, Machine>();

/** The machine of a target. Those that were used stay. */
export function machine(target: string): Machine {
  let known = machines.get(target);
  if (!known) machines.set(target, (known = new Machine(target)));
  return known;
}
