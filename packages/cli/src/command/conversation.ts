// Turns of one session on one console, one after the other, each shown and answered as `run` and `chat` both do it.
import { type AcpAttachment, type EventStream, HoldfastError, type TurnEvent } from "@holdfast/sdk";
import { parseSessionKey } from "@holdfast/ahp";
import { CommandError } from "../command-error.ts";
import type { Console } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import type { HostLink } from "../link/host-link.ts";
import { SessionChannel } from "./session-channel.ts";
import { shortSessionName } from "./session-name.ts";
import { LiveOutput } from "./turn/live-output.ts";
import { Screen } from "./turn/screen.ts";
import type { TurnEnd } from "./turn/turn-end.ts";
import { TurnFollower } from "./turn/turn-follower.ts";
import { type TurnDisplay, TurnLines, TurnView } from "./turn/turn-view.ts";

export interface ConversationParts {
  readonly link: HostLink;
  readonly console: Console;
  readonly sessionKey: string;
  /** Whether leaving by a signal cancels the turn too. */
  readonly cancelOnExit?: boolean | undefined;
  /** Whether answers keep their code fences. */
  readonly isMarkdown?: boolean | undefined;
}

export interface Sending {
  readonly attachments?: readonly AcpAttachment[];
  /** Whether to wait behind a running turn instead of being refused. */
  readonly queue?: boolean | undefined;
}

export class Conversation {
  readonly sessionKey: string;
  readonly screen: Screen;
  readonly #parts: ConversationParts;
  readonly #display: TurnDisplay;
  #channel: Promise<SessionChannel> | undefined;
  #endedTurnId: string | undefined;

  constructor(parts: ConversationParts) {
    const { console, sessionKey, isMarkdown = false } = parts;
    this.#parts = parts;
    this.sessionKey = sessionKey;
    this.screen = new Screen(console, "words", { isMarkdown });
    // Of all agents, only the built-in one answers with nothing but the output of commands.
    const isShell = parseSessionKey(sessionKey)?.handle === "shell";
    const output = isShell && !isMarkdown ? new LiveOutput(parts.link.api.terminals, this.screen) : undefined;
    this.#display = console.json
      ? new TurnLines(console)
      : new TurnView(this.screen, { isLive: true, ...(output && { output }) });
  }

  /** The live state of the session, connected at the first call. */
  channel(): Promise<SessionChannel> {
    this.#channel ??= SessionChannel.open(this.#parts.link, this.sessionKey);
    return this.#channel;
  }

  /** Sends a message and follows its turn to the end. */
  send(message: string, { attachments = [], queue }: Sending = {}): Promise<TurnEnd> {
    const { api } = this.#parts.link;
    const files = attachments.length > 0 ? attachments : undefined;
    const options = { ...(queue === true && { queue }), onDisconnect: this.#onDisconnect };
    return this.#follow(api.acpAgent.streamChat(this.sessionKey, message, files, options), queue);
  }

  /** Follows a turn that somebody else began. */
  join(turnId: string): Promise<TurnEnd> {
    const options = { turnId, onDisconnect: this.#onDisconnect };
    return this.#follow(this.#parts.link.api.acpAgent.streamEvents(this.sessionKey, options));
  }

  /** Whether a turn runs; the channel may report the end of ours later than its stream. */
  async isBusy(): Promise<boolean> {
    const { phase } = await this.channel();
    return phase.status === "busy" && phase.turnId !== this.#endedTurnId;
  }

  /** Cancels the running turn, also one of another client; false when none runs. */
  async cancel(): Promise<boolean> {
    if (!(await this.isBusy())) return false;
    await this.#parts.link.api.acpAgent.cancelTurn(this.sessionKey);
    return true;
  }

  async #follow(stream: EventStream<TurnEvent>, mayWait = false): Promise<TurnEnd> {
    const { link, console, cancelOnExit = false } = this.#parts;
    const follower = new TurnFollower(stream, {
      api: link.api,
      console,
      screen: this.screen,
      display: this.#display,
      sessionKey: this.sessionKey,
      cancelOnExit,
      ...(mayWait && { withdraw: async (turnId) => (await this.channel()).withdraw(turnId) }),
    });
    try {
      return await follower.follow();
    } catch (error) {
      throw this.#lostTurn(error) ?? error;
    } finally {
      this.#endedTurnId = stream.turnId;
    }
  }

  readonly #onDisconnect = (): void => {
    void this.screen.pause().then(() => this.#parts.console.warn("Connection lost. Reconnecting…"));
  };

  /** The error of a stream that could not be resumed, with the session's name; undefined for any other. */
  #lostTurn(cause: unknown): CommandError | undefined {
    if (!(cause instanceof HoldfastError) || cause.code !== "STREAM_BROKEN") return undefined;
    return new CommandError(cause.code, cause.message, {
      exitCode: EXIT_CODES.unreachable,
      remedy: `The turn may continue: \`holdfast chat ${shortSessionName(this.sessionKey)}\` shows it.`,
      cause,
    });
  }
}
