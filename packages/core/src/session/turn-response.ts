// The response of a turn: the updates of its agent as actions of the chat, and a notice while the agent is silent.
import { randomUUID } from "node:crypto";
import { type JoinedMessage, type ChatAction, type TurnId, makeId } from "@holdfast/ahp";
import type { AcpToolCall, AcpUpdate } from "../agent/acp.ts";
import { type Translated, translateOutsideTurn } from "../agent/session-updates.ts";
import type { ShownTerminal } from "../agent/tool-content.ts";
import { type SavedTranslator, TurnTranslator, type UpdateContext } from "../agent/update-actions.ts";
import type { SessionContext } from "./session-context.ts";

/** A response as the next host gets to know it. */
export interface SavedResponse {
  readonly translator: SavedTranslator;
  readonly isSilent: boolean;
}

/** The response of one turn, which ends it. */
export class TurnResponse {
  readonly #context: SessionContext;
  readonly #turnId: TurnId;
  readonly #translator: TurnTranslator;
  /** Updates before and after it is open are none of the turn's. */
  #phase: "waiting" | "open" | "over" = "waiting";
  #isSilent: boolean;
  #watchdog: NodeJS.Timeout | undefined;
  #gathered: { text: string; readonly toAction: (text: string) => Translated } | undefined;

  /** Begins a response, or continues that of an earlier host. */
  constructor(
    context: SessionContext,
    turnId: TurnId,
    findTerminal: UpdateContext["terminal"],
    saved?: SavedResponse,
  ) {
    this.#context = context;
    this.#turnId = turnId;
    this.#translator = new TurnTranslator(turnId, {
      terminal: findTerminal,
      toolCall: (id) => context.chat.toolCall(id),
      now: () => context.now(),
      onShown: (toolCallId, terminal) =>
        void terminal.exited.then(() => this.#noteTerminalExit(toolCallId, terminal)),
    });
    if (saved !== undefined) {
      this.#translator.restore(saved.translator, (uri) => context.deps.terminals.find(uri));
    }
    this.#isSilent = saved?.isSilent ?? false;
  }

  get saved(): SavedResponse {
    return { translator: this.#translator.saved, isSilent: this.#isSilent };
  }

  /** The prompt was sent: takes updates, and expects signs of life from now on. */
  open(): void {
    this.#phase = "open";
    this.#watchdog = setInterval(() => this.#noteSilence(), this.#context.deps.timeouts.silenceMs);
  }

  /** The hot path: one update of the agent. Text that continues a part is gathered, and published as one at the end of the tick. */
  update(update: AcpUpdate): void {
    const isOpen = this.#phase === "open";
    const text = isOpen ? this.#translator.readContinuation(update) : undefined;
    if (text !== undefined) return this.#gather(text);
    const all = isOpen ? this.#translator.translate(update) : translateOutsideTurn(update);
    for (const translated of all) this.#context.dispatch(translated);
    this.noteHeard();
  }

  /** A tool call, as a permission request describes it. */
  describe(call: AcpToolCall): void {
    for (const translated of this.#translator.toolCall(call)) this.#context.dispatch(translated);
  }

  /** An update like this one with another text; false when it does not continue the open part. */
  updateText(update: AcpUpdate, text: string): boolean {
    if (!this.continues(update)) return false;
    this.#gather(text);
    return true;
  }

  /** Whether an update appends text to the open part. */
  continues(update: AcpUpdate): boolean {
    return this.#phase === "open" && this.#translator.continues(update);
  }

  /** Publishes the gathered text; called before anything else is published, so that the order stays the agent's. */
  flush(): void {
    const gathered = this.#gathered;
    if (gathered === undefined) return;
    this.#gathered = undefined;
    this.#context.append(gathered.toAction(gathered.text));
    this.noteHeard();
  }

  #gather(text: string): void {
    if (this.#gathered !== undefined) {
      this.#gathered.text += text;
      return;
    }
    // Bound to its part now: by the time it is published, another may be open.
    this.#gathered = { text, toAction: this.#translator.continuing() };
    queueMicrotask(() => this.flush());
  }

  /** Shows a message that joined the turn, in its place. */
  noteSteered(text: string, joined: JoinedMessage): void {
    if (this.#phase === "over") return;
    this.notify("info", "Sent to the running turn", text, joined);
  }

  /** Shows a line of the host in the response. */
  notify(severity: "info" | "warning", title: string, description: string, joined?: JoinedMessage): void {
    this.flush();
    this.#translator.endPart();
    const at = this.#context.now().toISOString();
    const notice = { id: makeId("notice", randomUUID()), at, severity, title, description };
    this.#dispatch({
      type: "chat/responsePart",
      turnId: this.#turnId,
      part: { kind: "systemNotification", notice, ...(joined !== undefined && { joined }) },
    });
  }

  /** The agent has given a sign of life. */
  noteHeard(): void {
    this.#watchdog?.refresh();
    if (this.#isSilent) this.#noteLife();
  }

  /** Shows what is unfinished as it is; later updates are outside of the turn. */
  end(): void {
    this.#phase = "over";
    clearInterval(this.#watchdog);
    for (const translated of this.#translator.showUnfinished()) this.#context.dispatch(translated);
  }

  #noteSilence(): void {
    if (this.#isSilent) return;
    this.#isSilent = true;
    const silentSeconds = Math.round(this.#context.deps.timeouts.silenceMs / 1000);
    this.#dispatch({
      type: "chat/activityChanged",
      activity: `No sign of life from the agent for ${silentSeconds} s`,
    });
  }

  #noteLife(): void {
    this.#isSilent = false;
    this.#dispatch({ type: "chat/activityChanged" });
  }

  #noteTerminalExit(toolCallId: string, terminal: ShownTerminal): void {
    if (this.#phase === "over") return;
    for (const translated of this.#translator.terminalExited(toolCallId, terminal)) {
      this.#context.dispatch(translated);
    }
  }

  #dispatch(action: ChatAction): void {
    this.#context.dispatch({ to: "chat", action });
  }
}
