// The notes on a terminal's run with which the next host makes the terminal again.
import type { SessionUri, TerminalState, TerminalUri } from "@holdfast/ahp";
import type { HeldRun } from "@holdfast/terminal/port";
import { type ContinuedStream, type EarlierCommand, streamPlaceOf } from "@holdfast/terminal/terminal";
import type { ScanPlace } from "@holdfast/terminal/view";
import type { Storage } from "../ports.ts";
import type { ShownPlan, TerminalPlan } from "./terminal-plan.ts";

/** The part of a plan that does not change, and is not in the terminal's state. */
type TaggedPlan = Omit<ShownPlan, "claim" | "agent" | "kind" | "textLimitBytes"> & {
  readonly kind: "text" | "tty";
  /** Absent in the notes of older hosts, which named it otherwise. */
  readonly textLimitBytes?: number | undefined;
};

/** The notes on one run. */
export interface TerminalTag {
  readonly kind: "terminal";
  readonly uri: TerminalUri;
  readonly plan: TaggedPlan;
  readonly startedAt: string;
  readonly session?: SessionUri | undefined;
  readonly marker?: string | undefined;
  /** The folder of a shell's integration, which goes with it. */
  readonly shellFolder?: string | undefined;
}

/** A terminal that another host opened and whose run is held. */
export interface HeldTerminalRun {
  readonly run: HeldRun;
  readonly tag: TerminalTag;
  readonly state: TerminalState;
}

export function tagOf(
  uri: TerminalUri,
  plan: TerminalPlan,
  startedAt: string,
  marker: string | undefined,
): TerminalTag {
  const { title, titleSource, kind, nonce, commandLine, hasInput, isPaced, isKept } = plan;
  const { textLimitBytes, size, sandbox, cwd, agent } = plan;
  const shown = { title, titleSource, kind, nonce, commandLine, hasInput, isPaced, isKept };
  return {
    kind: "terminal",
    uri,
    plan: { ...shown, textLimitBytes, size, sandbox, cwd },
    startedAt,
    session: agent?.session,
    marker,
    shellFolder: plan.shellFolder,
  };
}

/** A terminal's stream as far as it is known when another host continues it. */
export interface Continuation extends ContinuedStream {
  readonly startedAt: Date;
  /** Events of commands that were published, by kind and id. */
  readonly published: ReadonlySet<string>;
}

const pageEntries = 500;

/** Reads from the log which commands were published. `shownOffset`: what the spool has. */
export function readContinuation(
  storage: Pick<Storage, "readLog">,
  { run, tag, state }: HeldTerminalRun,
  shownOffset: number,
): Continuation {
  const place = placeOf(run);
  const published = new Set<string>(state.supportsCommandDetection ? ["commandsDetected"] : []);
  const commands = new Map<string, EarlierCommand>();
  let afterSeq = 0;
  for (;;) {
    const page = storage.readLog(tag.uri, afterSeq, pageEntries);
    for (const { action } of page.entries) {
      if (action.type === "terminal/commandExecuted") {
        const { commandId: id, commandLine, offset: startOffset } = action;
        published.add(`executed ${id}`);
        commands.set(id, { id, commandLine, startedAtMs: Date.parse(action.startedAt), startOffset });
      } else if (action.type === "terminal/commandFinished") {
        const { commandId: id, offset: endOffset, exitCode, durationMs = 0 } = action;
        published.add(`finished ${id}`);
        const begun = commands.get(id);
        if (begun !== undefined && endOffset !== undefined) {
          commands.set(id, { ...begun, end: { endOffset, exitCode, durationMs } });
        }
      }
    }
    const last = page.entries.at(-1);
    if (!page.hasMore || last === undefined) break;
    afterSeq = last.serverSeq;
  }
  return {
    place,
    shownOffset,
    startedAt: new Date(tag.startedAt),
    published,
    startedAtMs: new Map([...commands.values()].map(({ id, startedAtMs }) => [id, startedAtMs])),
    commands: [...commands.values()].flatMap((command) => earlierCommand(command, tag, place)),
  };
}

/** Commands of a shell that are read again come from their marks; the only command of a run has none. */
function earlierCommand(
  { end, ...command }: EarlierCommand,
  { plan }: TerminalTag,
  place: ScanPlace | undefined,
): readonly EarlierCommand[] {
  if (plan.commandLine !== undefined) return [command];
  const from = place?.offset ?? 0;
  if (command.startOffset >= from) return [];
  return [end !== undefined && end.endOffset < from ? { ...command, end } : command];
}

/** Where the held bytes begin. Of bytes that were dropped meanwhile, all count as shown. */
function placeOf({ note, heldFrom }: HeldRun): ScanPlace | undefined {
  if (note === undefined) return undefined;
  const place = JSON.parse(note) as ScanPlace;
  // Notes of earlier hosts do not say how much came from stderr: their place is where the held bytes begin.
  const { output, error } =
    place.errorOffset === undefined
      ? { output: Math.min(place.rawOffset, heldFrom.output), error: heldFrom.error }
      : streamPlaceOf(place);
  const droppedError = Math.max(0, heldFrom.error - error);
  const dropped = Math.max(0, heldFrom.output - output) + droppedError;
  return {
    ...place,
    rawOffset: output + error + dropped,
    offset: place.offset + dropped,
    errorOffset: error + droppedError,
  };
}
