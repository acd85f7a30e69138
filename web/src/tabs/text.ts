// What is text as the library gives it: IR behind any pass, SPIR-V.

import type { Shown, View } from "../app";
import { choice, h } from "../dom";

const LAST = -1;

export function ir(view: View): Shown {
  const { study, pane, app } = view;
  const text = page("IR");
  const names: [string, string][] = [["0", "as read"],
    ...study.passes.map(({ number, name, instructions }): [string, string] => [String(number), `${number} ${name} (${instructions})`]),
    [String(LAST), "what code is selected from"]];
  const show = async (pass: number) => {
    if (pass === LAST) return text.show(study.ir ?? "assembly has no IR");
    const args = pass === 0 ? ["--emit", "ir", ...withoutTarget(view.args)] : [...view.args, "--stop-after", String(pass)];
    const answer = await view.machine.ask("ir", "call", ["compile", ...args, ...names_(app)], app.files());
    if (answer.status !== -2) text.show(answer.status === 0 ? String(answer.results[""] ?? "") : answer.text);
  };
  const change = (value: string) => {
    pane.pass = Number(value);
    app.changed();
    void show(pane.pass);
  };
  const chosen = names.some(([value]) => value === String(pane.pass ?? LAST)) ? (pane.pass ?? LAST) : LAST;
  void show(chosen);
  return { element: h("div", { class: "text-tab" }, h("div", { class: "bar" }, choice("behind pass", names, String(chosen), change)), text.element) };
}

export function spirv(view: View): Shown {
  const text = page("SPIR-V");
  const { app } = view;
  const args = ["compile", "--emit", "spirv-text", ...withoutTarget(view.args), ...names_(app)];
  void view.machine.ask("spirv", "call", args, app.files(), { "": "text" }).then((answer) => {
    if (answer.status !== -2) text.show(answer.status === 0 ? String(answer.results[""] ?? "") : answer.text);
  });
  return { element: h("div", { class: "text-tab" }, text.element) };
}

/** The open source's name: other files are there to be found. */
const names_ = (app: View["app"]) => ["--", app.files()[0][0]];

/** Options of the module alone. */
function withoutTarget(args: string[]): string[] {
  const kept: string[] = [];
  for (let n = 0; n < args.length; n++) {
    if (["--target", "-m", "--effort", "--clip"].includes(args[n])) n++;
    else kept.push(args[n]);
  }
  return kept;
}

function page(label: string) {
  const element = h("pre", { class: "page", tabindex: 0, role: "region", "aria-label": label });
  return { element, show: (text: string) => void (element.textContent = text) };
}
