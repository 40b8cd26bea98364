// The app API's operations on terminals: what they show, and submissions to them.
import { type Action, ROOT_URI, type TerminalSize, type TerminalState } from "@holdfast/ahp";
import { HostError, type TerminalStatus, type TerminalText } from "@holdfast/protocol";
import { TerminalOutput } from "@holdfast/terminal/view";
import { type Caller, submitterOf } from "../caller.ts";
import type { Hub } from "../channel/hub.ts";
import type { TerminalSpool } from "../ports.ts";
import type { Sessions } from "../session/sessions.ts";
import { type NewCommand, type Request, type Submit, requireAccepted } from "../submit/submission.ts";
import type { HostTerminals } from "./host-terminals.ts";
import type { InputPlace } from "./piped-input.ts";
import type { TerminalDirectory } from "./terminal-directory.ts";
import { TerminalFollower } from "./terminal-follower.ts";
import { terminalIdOf } from "./terminal-id.ts";
import type { TerminalReader } from "./terminal-reader.ts";

export interface TerminalOperationsDeps {
  readonly hub: Hub;
  readonly spool: TerminalSpool | undefined;
  readonly terminals: HostTerminals;
  readonly terminalDirectory: TerminalDirectory;
  readonly sessions: Pick<Sessions, "get">;
  readonly submit: Submit;
}

const mebibyte = 1024 * 1024;
const defaultTextBytes = mebibyte;
const maxTextBytes = 16 * mebibyte;

/** The terminals of all sessions and of people, by their ids. */
export class TerminalOperations {
  readonly #deps: TerminalOperationsDeps;
  #skippedBytes = 0;

  constructor(deps: TerminalOperationsDeps) {
    this.#deps = deps;
  }

  /** Bytes that followers were not given. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  /** The terminals that are there now; with a session, also its finished ones. */
  list(caller: Caller, sessionKey?: string): TerminalStatus[] {
    const { terminalDirectory, sessions } = this.#deps;
    if (sessionKey === undefined) return terminalDirectory.list(caller);
    return terminalDirectory.listOf(sessions.get(sessionKey, caller).state);
  }

  /** Runs a command in its own terminal; nobody is asked, so it is for the owner alone. */
  async create(command: NewCommand, caller: Caller): Promise<TerminalStatus> {
    const { submit, terminalDirectory } = this.#deps;
    const submission = await submit(ROOT_URI, { type: "root/createTerminal", command }, submitterOf(caller));
    const { uri = "" } = requireAccepted(submission, "ACP_SESSION_NOT_FOUND").result ?? {};
    return terminalDirectory.describe(terminalIdOf(uri), caller);
  }

  /** The newest of what it shows, as text. */
  async read(id: string, limitBytes: number | undefined, caller: Caller): Promise<TerminalText> {
    const state = this.#deps.terminalDirectory.find(id, caller);
    const limit = Math.min(limitBytes ?? defaultTextBytes, maxTextBytes);
    const live = this.#deps.terminals.get(id);
    const { lifecycle } = state;
    if (live !== undefined) {
      const { startOffset, endOffset } = live.output;
      const first = firstShown(state);
      const from = Math.max(first, startOffset, endOffset - limit);
      const bytes = live.output.bytes(from, endOffset);
      return { ...foldText(state, bytes, limit, from > first), endOffset, lifecycle };
    }
    const { bytes, endOffset, isCut } = await this.#readKept(state, limit);
    return { ...foldText(state, bytes, limit, isCut), endOffset, lifecycle };
  }

  /** Follows it from an offset on; `isPaced` lets a program wait that was started to. */
  async follow(
    id: string,
    after: number | undefined,
    caller: Caller,
    onReadable: () => void,
    isPaced = false,
  ): Promise<TerminalReader> {
    const { hub, spool, terminals, terminalDirectory } = this.#deps;
    const { resource: uri } = terminalDirectory.find(id, caller);
    const live = terminals.get(id);
    const endOffset = live?.output.endOffset;
    if (after !== undefined && endOffset !== undefined && after > endOffset) {
      throw new HostError(
        "INVALID_REQUEST",
        `after: past the end of the output, which has ${endOffset} bytes so far.`,
      );
    }
    return new TerminalFollower(
      {
        uri,
        hub,
        spool,
        live: () => terminals.get(id),
        state: () => terminalDirectory.stateOf(uri),
        onReadable,
        pace: isPaced ? live?.pace?.follow(after ?? 0) : undefined,
        onSkipped: (skippedBytes) => (this.#skippedBytes += skippedBytes),
      },
      after ?? 0,
    );
  }

  /** Resolves when the terminal accepts more input. */
  async write(id: string, bytes: Uint8Array, caller: Caller, place?: InputPlace): Promise<void> {
    await this.#ask(id, { type: "terminal/write", bytes, ...place }, caller);
  }

  /** Gives the size as it is after clamping. */
  async resize(id: string, size: TerminalSize, caller: Caller): Promise<TerminalSize> {
    await this.#ask(id, { type: "terminal/resized", ...size }, caller);
    return this.#deps.terminalDirectory.describe(id, caller).size ?? size;
  }

  /** Takes a terminal over, gives it back to its session, or detaches it from the turn that uses it. */
  async claim(
    id: string,
    { kind }: { readonly kind: "client" | "session" },
    caller: Caller,
  ): Promise<TerminalStatus> {
    const { terminalDirectory } = this.#deps;
    const claim = terminalDirectory.claimFor(id, kind, caller);
    await this.#ask(id, { type: "terminal/claimed", claim }, caller);
    return terminalDirectory.describe(id, caller);
  }

  async interrupt(id: string, caller: Caller): Promise<void> {
    await this.#ask(id, { type: "terminal/interrupt" }, caller);
  }

  async kill(id: string, caller: Caller): Promise<void> {
    await this.#ask(id, { type: "terminal/kill" }, caller);
  }

  async #ask(id: string, submitted: Action | Request, caller: Caller): Promise<void> {
    const { resource: uri } = this.#deps.terminalDirectory.find(id, caller);
    const submission = await this.#deps.submit(uri, submitted, submitterOf(caller));
    // The code's own sentence names the operation that claims.
    const isUnheld = submission.outcome === "rejected" && submission.code === "TERMINAL_NOT_HELD";
    if (isUnheld && submitted.type !== "terminal/claimed") throw new HostError("TERMINAL_NOT_HELD");
    requireAccepted(submission, "TERMINAL_NOT_FOUND");
  }

  async #readKept(
    state: TerminalState,
    limit: number,
  ): Promise<{ bytes: Uint8Array; endOffset: number; isCut: boolean }> {
    const { resource: uri, output } = state;
    const first = firstShown(state);
    const extent = await this.#deps.spool?.extent(uri);
    if (extent === undefined) {
      return { bytes: new Uint8Array(), endOffset: output.endOffset, isCut: output.endOffset > 0 };
    }
    const pieces: Uint8Array[] = [];
    const from = Math.max(first, extent.startOffset, extent.endOffset - limit);
    let isCut = from > first;
    for (let offset = from; offset < extent.endOffset;) {
      const slice = await this.#deps.spool?.read(uri, offset, limit);
      if (slice === undefined || slice.bytes.length === 0) break;
      isCut ||= slice.startOffset > offset;
      pieces.push(slice.bytes);
      offset = slice.endOffset;
    }
    // Its last bytes may be the ones that could not be written (D411).
    const endOffset = Math.max(extent.endOffset, output.endOffset);
    return { bytes: Buffer.concat(pieces), endOffset, isCut: isCut || extent.endOffset < endOffset };
  }
}

/** The first byte that is shown: an agent may replace all that it shows of a command that it runs itself. */
function firstShown({ run, output }: TerminalState): number {
  return run === "display" ? output.clearedAtOffset : 0;
}

/** The text that bytes leave on a screen of the terminal's size, or in a pipe. */
function foldText(
  { run, size, lifecycle }: TerminalState,
  bytes: Uint8Array,
  limitBytes: number,
  isCut: boolean,
): { text: string; truncated: boolean } {
  const output = new TerminalOutput({
    kind: run === "tty" ? "tty" : "text",
    folding: "lazy",
    textLimitBytes: limitBytes,
    replayBytes: bytes.length,
    ...(size !== undefined && { columns: size.cols, rows: size.rows }),
  });
  try {
    output.push(bytes);
    if (lifecycle.status === "exited") output.exited();
    const { output: text, truncated } = output.tail();
    return { text, truncated: truncated || isCut };
  } finally {
    output.close();
  }
}
