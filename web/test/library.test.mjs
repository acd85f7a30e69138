// The library without a page: every export answers, whatever it is asked. `npm test` after `npm run build`.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { load } from "./load.mjs";

const TARGETS = { pica200: "pica200", "utgard-gp": "utgard", a3xx: "a3xx", rdna: "rdna", agx: "agx" };
const VERBS = ["compile", "study", "trace", "abi", "assemble", "disassemble", "explain", "run", "draw", "call"];
const content = new URL("../content/", import.meta.url);
const sources = readdirSync(content, { withFileTypes: true }).filter((entry) => entry.isFile()).map(({ name }) => [name, readFileSync(new URL(name, content), "utf8")]);

/** Loops that nothing but a count of steps ends. */
const ENDLESS = {
  "utgard-gp": ["a.vert", "attribute vec4 position;\nvarying vec4 c;\nvoid main() {\n  float x = position.x;\n  while (x < 9.0) x *= 1.0;\n  c = vec4(x);\n  gl_Position = position;\n}\n", { vertices: [{ position: [1, 0, 0, 1] }] }],
  a3xx: ["a.frag", "#version 310 es\nprecision highp float;\nin vec2 uv;\nout vec4 c;\nvoid main() {\n  float x = uv.x;\n  while (x < 9.0) x *= 1.0;\n  c = vec4(x);\n}\n", { fragments: [{ uv: [0, 0] }] }],
  rdna: ["a.comp", "#version 450\nlayout(local_size_x = 32) in;\nlayout(std430, binding = 0) buffer D { float d[]; };\nvoid main() {\n  float x = d[gl_GlobalInvocationID.x];\n  while (x > -1.0) x *= 1.0;\n  d[0] = x;\n}\n", { buffers: { d: Array(32).fill(1) }, groups: [1, 1, 1] }],
  agx: ["a.frag", "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 c;\nvoid main() {\n  float x = uv.x;\n  while (x < 9.0) x *= 1.0;\n  c = vec4(x);\n}\n", { fragments: [{ uv: [0, 0] }] }],
};

/** Numbers that look random and are the same every time. */
function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** An answer is a result, or says why there is none. */
function assertAnswer(answer, asked) {
  assert.equal(answer.trap, undefined, `${asked}: ${answer.trap}`);
  assert.ok([0, 1, 2].includes(answer.status), `${asked}: status ${answer.status}, ${answer.text}`);
  if (answer.status !== 0) assert.ok(answer.messages.some(({ severity, message }) => severity === "error" && message), `${asked}: ${answer.status} without an error`);
}

test("every export that asks is tried here", async () => {
  const { exports } = await load("pica200");
  const known = [...VERBS, "targets", "Answer", "Question", "default", "initSync", "listen", "unloaded"];
  assert.deepEqual(exports.filter((name) => !known.includes(name)), []);
});

for (const [target, file] of Object.entries(TARGETS)) {
  test(`${target}: nonsense is answered`, async () => {
    const { ask } = await load(file);
    assertAnswer(ask("targets"), "targets");
    const junk = Uint8Array.from({ length: 300 }, (_, n) => (n * 167) % 251);
    const files = [["a.vert", ""], ["a.frag", "#version 450\nvoid main() {"], ["a.wgsl", "fn"], ["a.spvasm", "OpNop Op"], ["a.bin", junk], ["a.json", "{"], ["a.spv", Uint8Array.of(3, 2, 35, 7, 0)]];
    const args = [[], ["--target", target], ["--target", target, "--", "a.vert"], ["--target", "voodoo", "a.vert"], ["--no-such-option"], ["--target", target, "--", "missing.vert"],
      ["--target", target, "-m", "no-such-setting=1", "--", "a.frag"], ["--target", target, "--inputs", "a.json", "--", "a.frag"], ["--target", target, "--target", "agx", "--", "a.vert"], ["\u0000", "💥"],
      ...files.map(([name]) => ["--target", target, "--", name])];
    for (const verb of VERBS) for (const some of args) assertAnswer(ask(verb, some, files), `${verb} ${some.join(" ")}`);
    for (const command of ["lsp", "dap", "asm", "batch", "gate", "init", "ref", "man", "sample", "link", "lift", "info", "report", "timeline", "diff", "completions"]) assertAnswer(ask("call", [command], files), `call ${command}`);
  });

  test(`${target}: sources with mistakes are answered`, async () => {
    const { ask } = await load(file);
    const next = random(7);
    for (let round = 0; round < 150; round++) {
      const [name, text] = sources[next(sources.length)];
      const [at, length] = [next(text.length), next(12)];
      const piece = text.slice(next(text.length)).slice(0, next(30));
      const broken = text.slice(0, at) + piece + text.slice(at + length);
      for (const verb of ["study", round % 2 ? "run" : "compile"]) assertAnswer(ask(verb, ["--target", target, "--", name], [[name, broken]]), `${verb} of ${name}, ${target}, round ${round}:\n${broken}`);
    }
  });

  test(`${target}: a loop that never ends is a message`, { skip: !(target in ENDLESS) && "its loops have counts" }, async () => {
    const { ask } = await load(file);
    const [name, text, inputs] = ENDLESS[target];
    for (const verb of ["run", "trace"]) {
      const answer = ask(verb, ["--target", target, "--max-steps", "65536", "--inputs", "i.json", "--", name], [[name, text], ["i.json", JSON.stringify(inputs)]]);
      assertAnswer(answer, verb);
      assert.match(answer.text, /did not end within 65536 steps/);
    }
  });

  test(`${target}: what nests deeply is answered`, async () => {
    const { ask } = await load(file);
    const body = (inside) => `#version 310 es\nprecision highp float;\nin vec4 position;\nout vec4 color;\nuniform int n;\nvoid main() {\n float x = position.x;\n ${inside}\n color = vec4(x);\n${target === "rdna" ? "" : " gl_Position = position;\n"}}\n`;
    const deep = (open, close, inner) => open.repeat(20_000) + inner + close.repeat(20_000);
    const all = [body(`x = ${deep("(", ")", "x")};`), body(deep("{", "}", "")), body(deep("if (x > 0.0) {", "}", "x += 1.0;")), body(`x = ${"-".repeat(20_001)}x;`), body(`x = x${" + x".repeat(20_000)};`)];
    for (const text of all) assertAnswer(ask("study", ["--target", target, "--", "a.vert"], [["a.vert", text]]), text.slice(0, 400));
  });

  test(`${target}: another target that is not loaded says so`, async () => {
    const other = target === "agx" ? "rdna" : "agx";
    const { ask } = await load(file);
    const answer = ask("study", ["--target", other, "--", "a.comp"], [["a.comp", "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n"]]);
    assert.match(answer.trap ?? "", /whose file is not loaded/);
  });
}
