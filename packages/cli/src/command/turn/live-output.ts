// Output of running commands, line by line as it comes, where the agent would only repeat it at the end (C712).
import { setTimeout as delay } from "node:timers/promises";
import { type EventStream, type Holdfast, HoldfastError, type TerminalEvent } from "@holdfast/sdk";
import { shortName } from "../../short-name.ts";
import { PlainLines } from "../../terminal/plain-lines.ts";
import type { Screen } from "./screen.ts";

/** The last bytes arrive shortly after the end of a call; a stream that does not end is left. */
const lastBytesMs = 5000;
/** A line that does not end for so long is shown as it is: it may be a prompt. */
const unfinishedLineMs = 1000;

interface ShownCall {
  readonly stream: EventStream<TerminalEvent>;
  readonly ended: Promise<void>;
  /** Whether all of the output arrived. */
  isWhole: boolean;
  hasText: boolean;
}

/** The commands of one turn after the other. `close` ends what is followed. */
export class LiveOutput {
  readonly #terminals: Pick<Holdfast["terminals"], "stream">;
  readonly #screen: Screen;
  readonly #calls = new Map<string, ShownCall>();

  constructor(terminals: Pick<Holdfast["terminals"], "stream">, screen: Screen) {
    this.#terminals = terminals;
    this.#screen = screen;
  }

  /** Shows what a call's terminal writes, from its first byte on. */
  begin(toolCallId: string, terminalId: string): void {
    if (this.#calls.has(toolCallId)) return;
    const stream = this.#terminals.stream(terminalId, { after: 0 });
    const ended = this.#show(toolCallId, terminalId, stream);
    this.#calls.set(toolCallId, { stream, isWhole: false, hasText: false, ended });
  }

  /** The call has ended: waits for the last of its output where the command has exited. */
  async end(toolCallId: string, hasExited: boolean): Promise<void> {
    const call = this.#calls.get(toolCallId);
    if (call === undefined) return;
    if (hasExited) await Promise.race([call.ended, delay(lastBytesMs, undefined, { ref: false })]);
    // Nobody needs the errors of a stream that is left.
    if (!call.isWhole) await call.stream.return().catch(() => undefined);
  }

  /** Whether the whole output of a call was shown, so that nobody needs it again. */
  hasShown(toolCallId: string | undefined): boolean {
    const call = toolCallId === undefined ? undefined : this.#calls.get(toolCallId);
    return call !== undefined && call.isWhole && call.hasText;
  }

  async close(): Promise<void> {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    await Promise.all(calls.map(({ stream }) => stream.return().catch(() => undefined)));
  }

  async #show(toolCallId: string, terminalId: string, stream: EventStream<TerminalEvent>): Promise<void> {
    const lines = new PlainLines();
    let hasHint = false;
    const write = async (text: string): Promise<void> => {
      const call = this.#calls.get(toolCallId);
      if (text === "" || call === undefined) return;
      call.hasText = true;
      await this.#screen.output(text, toolCallId);
    };
    const showBeginning = async (): Promise<void> => {
      const beginning = lines.takeBeginning();
      await write(beginning);
      if (hasHint || beginning.trim() === "") return;
      hasHint = true;
      const { dim } = this.#screen.paint;
      await this.#screen.line(dim(`If it waits for input: holdfast attach ${shortName(terminalId)}`));
    };
    let silence: NodeJS.Timeout | undefined;
    try {
      for await (const event of stream) {
        clearTimeout(silence);
        if (event.type === "output") {
          await write(lines.push(event.data.bytes));
          silence = setTimeout(() => void showBeginning(), unfinishedLineMs);
        }
        if (event.type !== "exited") continue;
        await write(lines.end());
        const call = this.#calls.get(toolCallId);
        if (call !== undefined) call.isWhole = true;
      }
    } catch (error) {
      // A key without the scope `terminal` may not follow it, and a host may go away; the agent reports the output at the end.
      if (!(error instanceof HoldfastError)) throw error;
    } finally {
      clearTimeout(silence);
    }
  }
}
