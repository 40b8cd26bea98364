// A terminal as the page has it: its state, and the end of its output for every view that opens.
import type { TerminalAction, TerminalState, TerminalUri } from "@holdfast/ahp";
import type { AhpClient, ChannelEvent, DispatchOutcome, TerminalPart } from "@holdfast/ahp/client";
import { ChannelStore, type ChannelView } from "../host/channel-store.ts";
import { commandsOf, type ShellCommand, withAction } from "./command-history.ts";
import { PlainText } from "./plain-text.ts";
import { SizedOutput, type SizedText } from "./sized-output.ts";

/** As much as a view that opens late is shown. */
const keptChars = 512 * 1024;
/** As many lines as are copied. */
const copiedLines = 100_000;

/** Up, down, right, left. */
export type ArrowLetter = "A" | "B" | "C" | "D";

/** A terminal that is followed while somebody looks at it. */
export class TerminalStream {
  readonly uri: TerminalUri;
  readonly #store: ChannelStore<"terminal">;
  readonly #output = new SizedOutput(keptChars);
  readonly #views = new Set<OutputView>();
  /** The view that speaks for this page: what a program asks of its terminal is answered once. */
  #lead: OutputView | undefined;
  #commands: readonly ShellCommand[] = [];
  #wantsKeyboard = false;
  /** Set while the next letter is typed with Ctrl; called when that has happened. */
  #onControlUsed: (() => void) | undefined;

  constructor(client: AhpClient, uri: TerminalUri, onIdle: () => void) {
    this.uri = uri;
    this.#store = new ChannelStore(client, uri, "terminal", onIdle, (event) => this.#take(event));
  }

  /** The newest view of the state. */
  readonly view = (): ChannelView<"terminal"> => this.#store.view();

  /** Follows the terminal until the returned function is called. */
  readonly listen = (listener: () => void): (() => void) => this.#store.listen(listener);

  /** The state, once it is there. */
  get state(): TerminalState | undefined {
    const view = this.#store.view();
    return view.status === "live" ? view.state : undefined;
  }

  /** Whether the page has only the end of the output. */
  get isCut(): boolean {
    const output = this.state?.output;
    return this.#output.isCut || (output !== undefined && output.skippedBytes > output.clearedAtOffset);
  }

  /** The last commands that its shell ran; they change with the state. */
  get commands(): readonly ShellCommand[] {
    return this.#commands;
  }

  /** Shows the output to a view, from what is kept on, until the returned function is called. */
  show(view: OutputView): () => void {
    this.#views.add(view);
    this.#lead ??= view;
    view.reset(this.#output.read());
    const stop = this.listen(() => undefined);
    return () => {
      this.#views.delete(view);
      if (this.#lead === view) [this.#lead] = this.#views;
      stop();
    };
  }

  /** Makes a view the one that speaks for this page. */
  lead(view: OutputView): void {
    this.#lead = view;
  }

  /** Whether a view is the one that speaks for this page. */
  isLead(view: OutputView): boolean {
    return this.#lead === view;
  }

  /** A person who takes over a terminal wants to type into it, as soon as its screen is there. */
  wantKeyboard(): void {
    this.#wantsKeyboard = true;
  }

  /** Whether a screen that can be typed into shall take the keyboard; only the first that asks. */
  takeKeyboard(): boolean {
    const isWanted = this.#wantsKeyboard;
    this.#wantsKeyboard = false;
    return isWanted;
  }

  /** What is kept of the output, as plain lines. */
  text(): string {
    const plain = new PlainText(copiedLines, Number.POSITIVE_INFINITY);
    for (const { text } of this.#output.read()) plain.append(text);
    return plain.lines.join("\n").trimEnd();
  }

  /** Makes the next letter that is typed a control character, or not; `onUsed` is called when one was typed. */
  armControl(isArmed: boolean, onUsed: () => void): void {
    this.#onControlUsed = isArmed ? onUsed : undefined;
  }

  /** Input of a person, as a control character where Ctrl was pressed before on the page. */
  withControl(data: string): string {
    const onUsed = this.#onControlUsed;
    if (onUsed === undefined || !/^[a-z[\]\\^_@ ]$/i.test(data)) return data;
    this.#onControlUsed = undefined;
    onUsed();
    return String.fromCharCode(data.toUpperCase().charCodeAt(0) & 0x1f);
  }

  /** The data of an arrow key, by the last letter of its sequence, in the mode that the program has set. */
  arrowData(letter: ArrowLetter): string {
    return `\u001B${this.#lead?.hasApplicationKeys === true ? "O" : "["}${letter}`;
  }

  /** Sends an action. */
  dispatch(action: TerminalAction): Promise<DispatchOutcome> {
    return this.#store.dispatch(action);
  }

  #take(event: ChannelEvent<"terminal">): void {
    if (event.type === "snapshot") {
      const content = event.content ?? [];
      this.#commands = commandsOf(content);
      this.#output.resize(event.state.size);
      this.#reset(textOf(content));
      return;
    }
    if (event.type !== "action") return;
    this.#commands = withAction(this.#commands, event.action);
    if (event.action.type === "terminal/data") {
      this.#output.append(event.action.data);
      for (const view of this.#views) view.append(event.action.data);
    }
    // Not the size of the state, which has this page's pending resizes on top.
    if (event.action.type === "terminal/resized") this.#output.resize(event.action);
    // After this, a viewer that fell behind gets everything there is to see.
    if (event.action.type === "terminal/cleared") this.#reset("");
  }

  #reset(text: string): void {
    this.#output.clear();
    this.#output.append(text);
    for (const view of this.#views) view.reset(this.#output.read());
  }
}

function textOf(parts: readonly TerminalPart[]): string {
  return parts.map((part) => part.text).join("");
}

export interface OutputView {
  /** Whether the program wants the arrow keys of its application mode. */
  readonly hasApplicationKeys?: boolean;
  /** Replaces everything shown by this output. */
  reset(parts: readonly SizedText[]): void;
  append(text: string): void;
}
