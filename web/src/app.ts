// What panes know of the page around them.

import type { Place, Study, Target } from "./facts";
import type { Asker } from "./library";
import type { Inputs, Pane, State } from "./state";

export interface App {
  readonly state: State;
  readonly targets: Target[];
  /** The sources, the open one first. */
  files(): [name: string, text: string][];
  /** The state has changed: the address follows, and `again` asks all panes anew. */
  changed(again?: boolean): void;
  /** Lights places of the open source, and what other panes made of them. */
  light(places: Place[], from?: object, reveal?: boolean): void;
  /** Lets somebody hear what is not on the screen. */
  say(text: string): void;
  /** A pane has changed the inputs: the others follow. */
  ran(inputs: Inputs, from: Pane): void;
  /** The options of a pane have to be read anew. */
  close(pane: object): void;
}

/** What a tab is made of. */
export interface View {
  app: App;
  pane: Pane;
  target: Target;
  machine: Asker;
  study: Study;
  /** Words for the command line that come before files: `--target`, options. */
  args: string[];
  /** Shows what the code's lines are that an instruction of the anatomy belongs to. */
  point(line: number | undefined, reveal?: boolean): void;
  /** Takes an instruction apart below the tab. */
  explain(line: number): void;
}

/** A tab, ready to be looked at. */
export interface Shown {
  element: HTMLElement;
  /** Lights the lines of code that come from a place. */
  light?(lines: Set<number>): void;
  /** Another pane has changed the inputs. */
  ran?(): void;
}
