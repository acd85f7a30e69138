// Elements without markup: nothing that a link or a shader holds is ever read as HTML.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/** An element of HTML. `on…` attributes are listeners, the others attributes; false and undefined ones are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function s(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

let counter = 0;

/** A name that no other element has. */
export const unique = (stem: string): string => `${stem}-${++counter}`;

/** A labelled choice. */
export function choice(label: string, values: [value: string, text: string][], chosen: string, change: (value: string) => void, hidden = false): HTMLElement {
  const select = h("select", { "aria-label": hidden ? label : undefined, onchange: () => change(select.value) },
    ...values.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  return hidden ? select : h("label", { class: "field" }, h("span", {}, label), select);
}

/** A table with a caption for those who hear it. */
export function table(caption: string, head: string[], rows: Child[][]): HTMLElement {
  const cell = (child: Child) => h("td", { class: typeof child === "number" || /^[+-]?[\d.,]+( %)?$/.test(String(child)) ? "number" : undefined }, child);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: "hidden" }, caption),
      h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map(cell))))));
}

/** Calls at last, once nothing has come for a while. */
export function settled<A extends unknown[]>(wait: number, call: (...args: A) => void): (...args: A) => void {
  let timer: ReturnType<typeof setTimeout>;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...args), wait);
  };
}
