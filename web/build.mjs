// Builds the page: `node build.mjs [--wasm FOLDER]` writes dist/. Without a folder the library is built first.

import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const crate = join(here, "../crates/chiaro-wasm");
const dist = join(here, "dist");
const target = process.env.CARGO_TARGET_DIR ?? join(crate, "target");
/** Names of targets, and of the crates that they are. */
const TARGETS = { pica200: "pica200", "utgard-gp": "utgard", a3xx: "a3xx", rdna: "rdna", agx: "agx" };

/** What Rust's wasm uses beyond the first version. All that the optimiser knows would be more than others can read. */
const FEATURES = ["bulk-memory", "bulk-memory-opt", "call-indirect-overlong", "multivalue", "mutable-globals", "nontrapping-float-to-int", "reference-types", "sign-ext"];

/** The library's wasm: its glue, smaller words, and a file for each target. */
function library() {
  const cargo = (...args) => execFileSync("cargo", args, { cwd: crate, stdio: "inherit" });
  cargo("build", "--locked", "--release", "--target", "wasm32-unknown-unknown", "-p", "chiaro-wasm");
  cargo("build", "--locked", "-p", "bindgen");
  const tool = join(target, "debug/bindgen");
  const made = join(target, "explorer");
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  execFileSync(tool, ["glue", join(target, "wasm32-unknown-unknown/release/chiaro_wasm.wasm"), made, "front"]);
  const whole = join(made, "front_bg.wasm");
  if (!process.env.CHIARO_WITHOUT_WASM_OPT) {
    const opt = join(here, "node_modules/binaryen/bin/wasm-opt");
    execFileSync("node", [opt, "-Oz", "-g", ...FEATURES.map((name) => `--enable-${name}`), whole, "-o", whole], { stdio: "inherit" });
  }
  execFileSync(tool, ["split", whole, made, ...Object.values(TARGETS)]);
  return made;
}

/** What the library says of its targets, asked once here so that the page need not load all of them. */
async function targets(folder) {
  globalThis.chiaroPanicked = (message) => console.error(message);
  const library = await import(join(folder, "front.js"));
  library.initSync({ module: readFileSync(join(folder, "front.wasm")) });
  const all = JSON.parse(library.targets().string(""));
  return all.map((one) => ({ ...one, file: TARGETS[one.name] ?? one.name }));
}

const folder = process.argv[2] === "--wasm" ? process.argv[3] : library();
rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "lib"), { recursive: true });
for (const name of ["front.js", "front.wasm", ...Object.values(TARGETS).map((name) => `${name}.wasm`)]) copyFileSync(join(folder, name), join(dist, "lib", name));
writeFileSync(join(dist, "targets.json"), JSON.stringify(await targets(folder)));
for (const name of ["index.html", "icon.svg"]) copyFileSync(join(here, name), join(dist, name));

const text = Object.fromEntries([".vert", ".frag", ".comp", ".wgsl", ".pica", ".gp", ".ir3", ".agx", ".s"].map((ending) => [ending, "text"]));
const options = { bundle: true, minify: true, format: "esm", target: "es2022", loader: text, legalComments: "none", logLevel: "warning", absWorkingDir: here };
await build({ ...options, entryPoints: ["src/main.ts", "src/worker.ts", "src/style.css"], outdir: "dist" });

/** Files of the page, relative to it, the largest last. */
function files(below = "") {
  return readdirSync(join(dist, below), { withFileTypes: true }).flatMap((entry) => {
    const name = below ? `${below}/${entry.name}` : entry.name;
    return entry.isDirectory() ? files(name) : [name];
  });
}
const all = files();
const hash = createHash("sha256");
for (const name of all) hash.update(name).update(readFileSync(join(dist, name)));
const define = { BUILD: JSON.stringify(hash.digest("hex").slice(0, 16)), FILES: JSON.stringify(["./", ...all]) };
await build({ ...options, entryPoints: ["src/sw.ts"], outdir: "dist", format: "iife", define });

const packed = (name) => brotliCompressSync(readFileSync(join(dist, name))).length;
const sizes = Object.fromEntries(files().map((name) => [name, { bytes: statSync(join(dist, name)).size, packed: packed(name) }]));
writeFileSync(join(here, "sizes.json"), JSON.stringify(sizes, undefined, 1));
const sum = (of) => Object.entries(sizes).filter(([name]) => of(name)).reduce((all, [, { packed }]) => all + packed, 0);
const isTarget = (name) => Object.values(TARGETS).some((target) => name === `lib/${target}.wasm`);
const most = Math.max(...Object.keys(sizes).filter(isTarget).map((name) => sizes[name].packed));
console.log(`packed: ${(sum(() => true) / 1e6).toFixed(2)} MB in all, at most ${((sum((name) => !isTarget(name)) + most) / 1e6).toFixed(2)} MB with one target`);
