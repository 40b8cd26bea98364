// Directory of terminals: found, listed, described, read and followed by the callers that may see them.
import { fileURLToPath } from "node:url";
import {
  type SessionState,
  type TerminalClaim,
  type TerminalState,
  defaultChatUri,
  parseChannelUri,
} from "@holdfast/ahp";
import { HostError, type TerminalStatus, type TerminalText } from "@holdfast/protocol";
import { TerminalOutput } from "@holdfast/terminal/view";
import { type Caller, actorOf, maySee } from "../caller.ts";
import type { Hub } from "../channel/hub.ts";
import type { Storage, TerminalSpool } from "../ports.ts";
import { clientIdOf } from "../rules/rule.ts";
import type { HostTerminals } from "./host-terminals.ts";
import type { TerminalReader } from "./terminal-reader.ts";
import { TerminalFollower } from "./terminal-follower.ts";
import { terminalIdOf, terminalUrisOf } from "./terminal-id.ts";

export interface TerminalDirectoryDeps {
  readonly hub: Hub;
  readonly storage: Storage;
  readonly spool: TerminalSpool | undefined;
  readonly terminals: HostTerminals;
}

const mebibyte = 1024 * 1024;
const defaultTextBytes = mebibyte;
const maxTextBytes = 16 * mebibyte;

export class TerminalDirectory {
  readonly #deps: TerminalDirectoryDeps;
  #skippedBytes = 0;

  constructor(deps: TerminalDirectoryDeps) {
    this.#deps = deps;
  }

  /** Bytes that followers were not given. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  /** The terminals that are there now. */
  list(caller: Caller): TerminalStatus[] {
    this.#deps.terminals.listed();
    return this.#deps.terminals.all.flatMap(({ uri }) => {
      const state = this.#deps.hub.state(uri, "terminal");
      return state !== undefined && this.maySee(caller, state) ? [this.#describe(state)] : [];
    });
  }

  /** The terminals of a session, the finished ones too, oldest first. */
  listOf({ resource }: SessionState): TerminalStatus[] {
    this.#deps.terminals.listed();
    return this.#deps.storage.channelsOf(resource).flatMap((uri) => {
      // A chat may be long: it is not loaded only to find that it is none.
      const { kind = "terminal" } = parseChannelUri(uri) ?? {};
      const state = kind === "terminal" ? this.stateOf(uri) : undefined;
      return state === undefined ? [] : [this.#describe(state)];
    });
  }

  /** The newest of what it shows, as text. */
  async read(id: string, limitBytes: number | undefined, caller: Caller): Promise<TerminalText> {
    const state = this.#find(id, caller);
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
  follow(
    id: string,
    after: number | undefined,
    caller: Caller,
    onReadable: () => void,
    isPaced = false,
  ): TerminalReader {
    const { resource: uri } = this.#find(id, caller);
    const { hub, spool, terminals } = this.#deps;
    const live = terminals.get(id);
    const endOffset = live?.output.endOffset;
    if (after !== undefined && endOffset !== undefined && after > endOffset) {
      throw new HostError("INVALID_REQUEST", `after: the terminal has written ${endOffset} bytes so far.`);
    }
    return new TerminalFollower(
      {
        uri,
        hub,
        spool,
        live: () => terminals.get(id),
        state: () => this.stateOf(uri),
        onReadable,
        pace: isPaced ? live?.pace?.follow(after ?? 0) : undefined,
        onSkipped: (skippedBytes) => (this.#skippedBytes += skippedBytes),
      },
      after ?? 0,
    );
  }

  /** The claim for a caller, or for the session that holds a terminal or whose agent made it. */
  claimFor(id: string, kind: "client" | "session", caller: Caller): TerminalClaim {
    const { claim, resource } = this.#find(id, caller);
    if (kind === "client") return { kind, clientId: clientIdOf(actorOf(caller)) };
    const maker = this.#deps.terminals.find(resource)?.agent?.session;
    const session = claim.kind === "session" ? claim.session : maker;
    if (session === undefined) {
      throw new HostError(
        "INVALID_REQUEST",
        "No session made this terminal, so there is none to give it to.",
      );
    }
    return { kind, session, chat: defaultChatUri(session) };
  }

  /** The URI of a terminal that a caller may see. */
  uriOf(id: string, caller: Caller): string {
    return this.#find(id, caller).resource;
  }

  #find(id: string, caller: Caller): TerminalState {
    for (const uri of terminalUrisOf(id)) {
      const state = this.stateOf(uri);
      if (state !== undefined && this.maySee(caller, state)) return state;
    }
    throw new HostError("TERMINAL_NOT_FOUND");
  }

  /** The state of a terminal, running or stored. */
  stateOf(uri: string): TerminalState | undefined {
    const live = this.#deps.hub.state(uri, "terminal");
    if (live !== undefined) return live;
    const kept = this.#deps.storage.loadChannel(uri);
    return kept?.kind === "terminal" ? kept.state : undefined;
  }

  /** A terminal that a person holds is the owner's alone, unless the caller's own agent made it. */
  maySee(caller: Caller, { claim, resource }: TerminalState): boolean {
    if (caller.kind === "owner") return true;
    if (claim.kind === "client" && claim.clientId === clientIdOf(actorOf(caller))) return true;
    const maker = this.#deps.terminals.find(resource)?.agent?.session;
    const uri = claim.kind === "session" ? claim.session : maker;
    const session = uri === undefined ? undefined : this.#deps.hub.state(uri, "session");
    return session !== undefined && maySee(caller, session.owner);
  }

  /** One terminal as the list shows it. */
  describe(id: string, caller: Caller): TerminalStatus {
    return this.#describe(this.#find(id, caller));
  }

  #describe(state: TerminalState): TerminalStatus {
    const { resource, claim, title, run, lifecycle, leftovers, startedAt, cwd, size, output } = state;
    const id = terminalIdOf(resource);
    const live = this.#deps.terminals.get(id)?.output;
    const session = claim.kind === "session" ? this.#deps.hub.state(claim.session, "session") : undefined;
    return {
      id,
      session_key: session?.key ?? null,
      title,
      run,
      lifecycle,
      ...(leftovers !== undefined && {
        leftovers: { count: leftovers.count, processes: [...leftovers.processes] },
      }),
      holder: describeHolder(claim),
      ...(startedAt !== undefined && { startedAt }),
      ...(cwd !== undefined && { cwd: fileURLToPath(cwd) }),
      ...(size !== undefined && { size }),
      output: {
        endOffset: live?.endOffset ?? output.endOffset,
        skippedBytes: live?.startOffset ?? output.skippedBytes,
      },
    };
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
    answer: "lazy",
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

function describeHolder(claim: TerminalClaim): TerminalStatus["holder"] {
  if (claim.kind === "session") return { kind: "session", inTurn: claim.turnId !== undefined };
  return { kind: "client", clientId: claim.clientId, isGone: claim.goneSince !== undefined };
}
