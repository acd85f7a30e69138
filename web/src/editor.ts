// The source, with what the library says of it.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, openLintPanel, setDiagnostics, type Action, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import type { Place } from "./facts";
import type { Message } from "./protocol";

const WORDS = /^(?:if|else|for|while|do|switch|case|default|break|continue|return|discard|struct|fn|let|var|const|override|in|out|inout|uniform|attribute|varying|layout|buffer|shared|precision|lowp|mediump|highp|flat|smooth|noperspective|centroid|void|bool|int|uint|float|half|[biud]?vec[234]|mat[234](?:x[234])?|sampler\w*|image\w*|texture_\w+|vec[234][fiuh]|mat[234]x[234][fh]|f32|f16|i32|u32|array|ptr|true|false)\b/;

/** GLSL, WGSL and assemblies alike: colours for what they have in common. */
const language = (comments: string[]) => StreamLanguage.define<{ inComment: boolean }>({
  startState: () => ({ inComment: false }),
  token(stream, state) {
    if (state.inComment) {
      state.inComment = !stream.match(/^.*?\*\//);
      if (state.inComment) stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    for (const mark of comments) if (stream.match(mark)) return stream.skipToEnd(), "comment";
    if (stream.match("/*")) return (state.inComment = true), "comment";
    if (stream.match(/^[@#]\s*\w+/)) return "meta";
    if (stream.match(/^\.[a-z]\w*/)) return "propertyName";
    if (stream.match(/^(?:0x[\da-f_]+|\d+\.?\d*(?:e[+-]?\d+)?)[ufh]?/i)) return "number";
    if (stream.match(/^"[^"]*"?/)) return "string";
    if (stream.match(WORDS)) return "keyword";
    if (stream.match(/^[%$]?\w+(?=\s*\()/)) return "variableName.function";
    if (stream.match(/^[%$]?\w+/)) return "variableName";
    stream.next();
    return null;
  },
});

/** Edits that one message offers at most. */
const MOST_ACTIONS = 3;

const look = EditorView.theme({
  // Behind the padding nothing covers the outline.
  "&": { height: "100%", padding: "2px", fontSize: "var(--code-size)", color: "var(--ink)", backgroundColor: "var(--paper)" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--accent)", padding: "10px 0" },
  ".cm-scroller": { lineHeight: "1.6", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--line)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  "&.cm-focused .cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "var(--select)" },
  ".cm-lit": { backgroundColor: "var(--lit)", borderRadius: "3px" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--edge)", borderRadius: "6px" },
  ".cm-panels": { backgroundColor: "var(--card)", color: "var(--ink)" },
  ".cm-diagnosticAction": { font: "inherit", color: "var(--on-accent)", backgroundColor: "var(--accent)", borderRadius: "4px", padding: "2px 8px", margin: "4px 0 0", cursor: "pointer" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", padding: "6px 10px", whiteSpace: "pre-wrap", maxWidth: "60ch" },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.keyword, color: "var(--word)" },
  { tag: [tags.number, tags.string], color: "var(--number)" },
  { tag: [tags.meta, tags.propertyName], color: "var(--meta)" },
  { tag: tags.function(tags.variableName), color: "var(--call)" },
]);

const light = StateEffect.define<{ from: number; to: number }[]>();
const lit = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(light)) marks = Decoration.set(effect.value.map(({ from, to }) => Decoration.mark({ class: "cm-lit" }).range(from, to)), true);
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export interface Listener {
  changed(text: string): void;
  pointed(line: number | undefined, column: number): void;
}

export class Editor {
  private readonly view: EditorView;
  private readonly language = new Compartment();
  private readonly title = new Compartment();
  private isQuiet = false;

  constructor(place: HTMLElement, private readonly listener: Listener) {
    // In a tree of its own CodeMirror's styles need no leave of the page's policy.
    const root = place.attachShadow({ mode: "open" });
    this.view = new EditorView({ root, parent: root, state: this.fresh("", "shader.vert") });
    this.view.dom.addEventListener("mousemove", (event) => this.point(event));
    this.view.dom.addEventListener("mouseleave", () => listener.pointed(undefined, 0));
  }

  private fresh(text: string, name: string): EditorState {
    const changed = EditorView.updateListener.of((update) => {
      if (update.docChanged && !this.isQuiet) this.listener.changed(update.state.doc.toString());
      if (update.selectionSet && update.view.hasFocus) {
        const line = update.state.doc.lineAt(update.state.selection.main.head);
        this.listener.pointed(line.number, update.state.selection.main.head - line.from + 1);
      }
    });
    return EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), highlightSelectionMatches(),
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap, { key: "Mod-.", run: openLintPanel }, { key: "Escape", run: (view) => (view.contentDOM.blur(), true) }, indentWithTab]),
        lintGutter(), lit, look, syntaxHighlighting(colours), changed, EditorView.lineWrapping,
        this.language.of(language(comments(name))),
        // It takes the keys of what scrolls around it, and says so.
        this.title.of(EditorView.contentAttributes.of({ "aria-label": `source ${name}; Escape leaves the editor`, spellcheck: "false", tabindex: "0" })),
      ],
    });
  }

  /** Shows another source. */
  show(text: string, name: string): void {
    this.isQuiet = true;
    this.view.setState(this.fresh(text, name));
    this.isQuiet = false;
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Puts messages where they belong; those of other files, or of none, are given back. */
  tell(messages: Message[], name: string): Message[] {
    const doc = this.view.state.doc;
    const here = messages.filter((message) => message.file === name && message.line != null && message.line <= doc.lines);
    this.view.dispatch(setDiagnostics(this.view.state, here.map((message) => diagnostic(doc, message))));
    return messages.filter((message) => !here.includes(message));
  }

  /** Lights places of the source. */
  light(places: Place[], reveal = false): void {
    const doc = this.view.state.doc;
    const ranges = places.map(([, line, column, last, end]) => ({ from: at(doc, line, column), to: at(doc, last, end) }));
    const seen = ranges.filter(({ from, to }) => to > from);
    this.view.dispatch({ effects: [light.of(seen), ...(reveal && seen[0] ? [EditorView.scrollIntoView(seen[0].from, { y: "nearest" })] : [])] });
  }

  /** Puts the cursor on a line. */
  go(line: number, column = 1): void {
    this.view.dispatch({ selection: { anchor: at(this.view.state.doc, line, column) }, scrollIntoView: true });
    this.view.focus();
  }

  private point(event: MouseEvent): void {
    const position = this.view.posAtCoords({ x: event.clientX, y: event.clientY });
    if (position === null) return this.listener.pointed(undefined, 0);
    const line = this.view.state.doc.lineAt(position);
    this.listener.pointed(line.number, position - line.from + 1);
  }
}

/** An offset in the document of a line and a column in characters. */
function at(doc: Text, line: number, column: number): number {
  const { from, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  let offset = 0;
  for (const character of text) {
    if (--column < 1) break;
    offset += character.length;
  }
  return from + offset;
}

function diagnostic(doc: Text, message: Message): Diagnostic {
  const from = at(doc, message.line!, message.column ?? 1);
  const to = message.end_line ? at(doc, message.end_line, message.end_column ?? 1) : from;
  const severity = message.severity === "error" ? "error" : message.severity === "warning" ? "warning" : "info";
  const rest = [...(message.notes ?? []), ...(message.help ?? []).map((help) => `Help: ${help}`)];
  return { from, to: Math.max(from, to), severity, message: [message.message, ...rest].join("\n"), actions: actions(doc, message) };
}

/** What mends a message by itself. Of a rule's remedies, which are not tried here, the only one there is. */
function actions(doc: Text, message: Message): Action[] {
  const fixes = (message.fixes ?? []).filter(({ edits }) => edits.every((edit) => edit.file === message.file && edit.end_line <= doc.lines));
  if (message.rule && fixes.length > 1) return [];
  return fixes.slice(0, MOST_ACTIONS).map(({ title, edits }) => ({
    name: title[0].toUpperCase() + title.slice(1),
    apply(view) {
      // What was said of another text means nothing to this one; what is said of this one follows.
      if (!view.state.doc.eq(doc)) return;
      const changes = edits.map((edit) => ({ from: at(doc, edit.line, edit.column), to: at(doc, edit.end_line, edit.end_column), insert: edit.with }));
      view.dispatch({ changes, userEvent: "input.complete" });
      view.focus();
    },
  }));
}

const comments = (name: string): string[] => (/\.(vert|frag|comp|geom|glsl|wgsl)$/.test(name) ? ["//"] : [";", "//"]);
