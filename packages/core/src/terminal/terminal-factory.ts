// Construction of a terminal of the host: its output, its publisher, its pace, and the hooks for its later events.
import type { TerminalUri } from "@holdfast/ahp";
import type { TreeProcess } from "@holdfast/terminal/port";
import { makeOutput, OUTPUT_LIMITS } from "@holdfast/terminal/terminal";
import { RingBudget } from "@holdfast/terminal/view";
import { HostTerminal } from "./host-terminal.ts";
import type { HostTerminalsParts } from "./host-terminals.ts";
import { OutputPace } from "./output-pace.ts";
import { OutputPublisher } from "./output-publisher.ts";
import type { ShownPlan } from "./terminal-plan.ts";
import type { Continuation } from "./terminal-tag.ts";

/** A screen that a session holds has one size, to which viewers adapt. */
export const SESSION_SIZE = { columns: 120, rows: 30 };
const defaultLingerMs = 15_000;

const programLost = "The process that started it has died";
const agentSilent = "The agent ran it and did not say how it ended";
const editorGone = "The editor that ran it has disconnected";

/** Called with what happens to a terminal. */
export interface TerminalHooks {
  onWritten(sizeBytes: number): void;
  onTitle(): void;
  onEnded(terminal: HostTerminal): void;
  onLeft(terminal: HostTerminal, survivors: readonly TreeProcess[]): void;
  onClosed(terminal: HostTerminal): void;
}

/** Makes the terminals of one host, which share memory for their output. */
export class TerminalFactory {
  readonly #parts: HostTerminalsParts;
  readonly #hooks: TerminalHooks;
  readonly #budget = new RingBudget({ totalBytes: OUTPUT_LIMITS.totalBytes });

  constructor(parts: HostTerminalsParts, hooks: TerminalHooks) {
    this.#parts = parts;
    this.#hooks = hooks;
  }

  /** A terminal without a run. `earlier`: where it continues that of an earlier host. */
  make(
    id: string,
    uri: TerminalUri,
    plan: ShownPlan,
    earlier?: Continuation & { readonly onCaughtUp?: () => void },
  ): HostTerminal {
    const hooks = this.#hooks;
    const { agent, size, hasInput = false, isPaced = false, isKept = false } = plan;
    const { hub, spool, now, onFault = () => {}, lingerMs = defaultLingerMs } = this.#parts;
    const kind = plan.kind === "tty" ? "tty" : "text";
    const output = makeOutput({
      kind,
      size,
      textLimitBytes: plan.textLimitBytes,
      replayBytes: isPaced ? OUTPUT_LIMITS.pacedReplayBytes : OUTPUT_LIMITS.replayBytes,
      // The text of a person's terminal may never be read.
      isFoldedOnRequest: agent === undefined,
      // The budget never denies memory to a paced terminal, which must miss nothing; it gives it back soon.
      budget: isPaced ? undefined : this.#budget,
      startOffset: earlier?.place?.offset,
    });
    const pace = isPaced
      ? new OutputPace({
          hold: (isHeld) => terminal.hold(isHeld),
          onFree: () => output.shrinkReplay(OUTPUT_LIMITS.replayBytes),
        })
      : undefined;
    const publisher = new OutputPublisher({
      hub,
      uri,
      output,
      lingerMs,
      isText: kind === "text",
      earlier,
      onBytes: (bytes, offset) => {
        const known = Math.max(0, (earlier?.shownOffset ?? 0) - offset);
        if (known <= bytes.length) earlier?.onCaughtUp?.();
        pace?.wrote(offset + bytes.length);
        if (known >= bytes.length) return;
        hooks.onWritten(bytes.length - known);
        spool?.append(uri, offset + known, bytes.subarray(known));
      },
      onTitle: () => hooks.onTitle(),
      onEnded: () => {
        void spool?.end(uri);
        hooks.onEnded(terminal);
      },
    });
    const terminal: HostTerminal = new HostTerminal({
      id,
      uri,
      kind,
      title: plan.title,
      size,
      startSize: plan.startSize ?? size,
      output,
      publisher,
      agent,
      hasInput,
      pace,
      isKept,
      isIsolated: plan.sandbox !== undefined,
      nonce: plan.nonce,
      commandLine: plan.commandLine,
      // A script follows it that wants every byte.
      keepsMarks: isPaced,
      screenLingerMs: lingerMs,
      ...(earlier !== undefined && { continues: earlier, startedAt: earlier.startedAt }),
      ...(this.#parts.keepsRuns === true && plan.editor === undefined && { heldBytes: heldBytesOf(plan) }),
      unseenExit: unseenExitOf(plan),
      now,
      onFault,
      onLeft: (survivors) => hooks.onLeft(terminal, survivors),
      onClosed: () => hooks.onClosed(terminal),
    });
    return terminal;
  }
}

function unseenExitOf({ kind, editor }: ShownPlan): string {
  if (editor !== undefined) return editorGone;
  return kind === "display" ? agentSilent : programLost;
}

/** As much as the terminal itself keeps: the next host shows what this one shows. */
function heldBytesOf({ textLimitBytes, isPaced = false }: ShownPlan): number {
  return Math.max(textLimitBytes, isPaced ? OUTPUT_LIMITS.pacedReplayBytes : OUTPUT_LIMITS.replayBytes);
}
