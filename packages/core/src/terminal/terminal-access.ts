// What callers may do with terminals: see, read, follow, type, resize, end; only with those of their own sessions.
import { fileURLToPath } from "node:url";
import {
  type SessionState,
  type TerminalSize,
  type TerminalState,
  type TerminalUri,
  makeId,
  parseChannelUri,
  terminalUri,
} from "@holdfast/ahp";
import { HostError, type TerminalStatus, type TerminalText } from "@holdfast/protocol";
import { TerminalOutput } from "@holdfast/terminal/view";
import { type Caller, maySee } from "../caller.ts";
import type { Hub } from "../channel/hub.ts";
import type { Storage, TerminalSpool } from "../ports.ts";
import type { HostTerminal } from "./host-terminal.ts";
import type { HostTerminals } from "./host-terminals.ts";
import type { TerminalFeed } from "./terminal-feed.ts";
import { TerminalFollower } from "./terminal-follower.ts";

/** What access to terminals needs. */
export interface TerminalAccessParts {
  readonly hub: Hub;
  readonly storage: Storage;
  readonly spool: TerminalSpool | undefined;
  readonly terminals: HostTerminals;
}

const mebibyte = 1024 * 1024;
const defaultTextBytes = mebibyte;
const maxTextBytes = 16 * mebibyte;

/** The terminals of a host as its callers see them. */
export class TerminalAccess {
  readonly #parts: TerminalAccessParts;
  #skippedBytes = 0;

  constructor(parts: TerminalAccessParts) {
    this.#parts = parts;
  }

  /** Bytes that followers were not given. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  /** The terminals that are there now. */
  list(caller: Caller): TerminalStatus[] {
    return this.#parts.hub
      .list("terminal")
      .filter(({ state }) => this.#maySee(caller, state))
      .map(({ state }) => this.#describe(state));
  }

  /** The terminals of a session, the finished ones too, oldest first. */
  listOf({ resource }: SessionState): TerminalStatus[] {
    return this.#parts.storage.channelsOf(resource).flatMap((uri) => {
      const state = this.#state(uri);
      return state === undefined ? [] : [this.#describe(state)];
    });
  }

  /** The newest of what it shows, as text. */
  async read(id: string, limitBytes: number | undefined, caller: Caller): Promise<TerminalText> {
    const state = this.#find(id, caller);
    const limit = Math.min(limitBytes ?? defaultTextBytes, maxTextBytes);
    const live = this.#parts.terminals.get(id);
    const { lifecycle } = state;
    if (live !== undefined) {
      const { startOffset, endOffset } = live.output;
      const from = Math.max(startOffset, endOffset - limit);
      const bytes = live.output.bytes(from, endOffset);
      return { ...foldText(state, bytes, limit, from > 0), endOffset, lifecycle };
    }
    const { bytes, endOffset, isCut } = await this.#readKept(state, limit);
    return { ...foldText(state, bytes, limit, isCut), endOffset, lifecycle };
  }

  follow(id: string, after: number | undefined, caller: Caller, onReadable: () => void): TerminalFeed {
    const { resource: uri } = this.#find(id, caller);
    const { hub, spool, terminals } = this.#parts;
    const endOffset = terminals.get(id)?.output.endOffset;
    if (after !== undefined && endOffset !== undefined && after > endOffset) {
      throw new HostError("INVALID_REQUEST", `after: the terminal has written ${endOffset} bytes so far.`);
    }
    return new TerminalFollower(
      {
        uri,
        hub,
        spool,
        live: () => terminals.get(id),
        state: () => this.#state(uri),
        onReadable,
        onSkipped: (skippedBytes) => (this.#skippedBytes += skippedBytes),
      },
      after ?? 0,
    );
  }

  write(id: string, bytes: Uint8Array, caller: Caller): void {
    const terminal = this.#findRunning(id, caller);
    if (!terminal.isPty) throw new HostError("TERMINAL_NOT_INTERACTIVE");
    terminal.write(bytes);
  }

  resize(id: string, size: TerminalSize, caller: Caller): TerminalSize {
    const terminal = this.#findRunning(id, caller);
    if (!terminal.isPty) throw new HostError("TERMINAL_NOT_INTERACTIVE");
    const set = terminal.resize(size);
    this.#parts.hub.dispatch(terminal.uri, { type: "terminal/resized", ...set });
    return set;
  }

  async kill(id: string, caller: Caller): Promise<void> {
    this.#find(id, caller);
    await this.#parts.terminals.get(id)?.kill();
  }

  #find(id: string, caller: Caller): TerminalState {
    const state = id === "" ? undefined : this.#state(terminalUri(makeId("terminal", id)));
    if (state === undefined || !this.#maySee(caller, state)) throw new HostError("TERMINAL_NOT_FOUND");
    return state;
  }

  #findRunning(id: string, caller: Caller): HostTerminal {
    const { lifecycle } = this.#find(id, caller);
    const terminal = this.#parts.terminals.get(id);
    if (terminal === undefined || lifecycle.status === "exited") throw new HostError("TERMINAL_EXITED");
    return terminal;
  }

  #state(uri: string): TerminalState | undefined {
    const live = this.#parts.hub.state(uri, "terminal");
    if (live !== undefined) return live;
    const kept = this.#parts.storage.loadChannel(uri);
    return kept?.kind === "terminal" ? kept.state : undefined;
  }

  /** What a person holds is the owner's alone. */
  #maySee(caller: Caller, { claim }: TerminalState): boolean {
    if (caller.kind === "owner") return true;
    const session = claim.kind === "session" ? this.#parts.hub.state(claim.session, "session") : undefined;
    return session !== undefined && maySee(caller, session.owner);
  }

  #describe(state: TerminalState): TerminalStatus {
    const { resource, claim, title, run, lifecycle, cwd, size, output } = state;
    const id = idOf(resource);
    const live = this.#parts.terminals.get(id)?.output;
    const session = claim.kind === "session" ? this.#parts.hub.state(claim.session, "session") : undefined;
    return {
      id,
      session_key: session?.key ?? null,
      title,
      run,
      lifecycle,
      ...(cwd !== undefined && { cwd: fileURLToPath(cwd) }),
      ...(size !== undefined && { size }),
      output: {
        endOffset: live?.endOffset ?? output.endOffset,
        skippedBytes: live?.startOffset ?? output.skippedBytes,
      },
    };
  }

  async #readKept(
    { resource: uri }: TerminalState,
    limit: number,
  ): Promise<{ bytes: Uint8Array; endOffset: number; isCut: boolean }> {
    const extent = await this.#parts.spool?.extent(uri);
    if (extent === undefined) return { bytes: new Uint8Array(), endOffset: 0, isCut: false };
    const pieces: Uint8Array[] = [];
    const from = Math.max(extent.startOffset, extent.endOffset - limit);
    let isCut = from > 0;
    for (let offset = from; offset < extent.endOffset;) {
      const slice = await this.#parts.spool?.read(uri, offset, limit);
      if (slice === undefined || slice.bytes.length === 0) break;
      isCut ||= slice.startOffset > offset;
      pieces.push(slice.bytes);
      offset = slice.endOffset;
    }
    return { bytes: Buffer.concat(pieces), endOffset: extent.endOffset, isCut };
  }
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
    answerLimitBytes: limitBytes,
    replayBytes: bytes.length,
    ...(size !== undefined && { columns: size.cols, rows: size.rows }),
  });
  try {
    output.push(bytes);
    if (lifecycle.status === "exited") output.exited();
    const { output: text, truncated } = output.answer();
    return { text, truncated: truncated || isCut };
  } finally {
    output.close();
  }
}

function idOf(uri: TerminalUri): string {
  const address = parseChannelUri(uri);
  return address?.kind === "terminal" ? address.terminalId : uri;
}
