// What callers may do with terminals: see, read, follow, claim, type, resize, end; only with those of their own sessions.
import { fileURLToPath } from "node:url";
import {
  type ClientId,
  type SessionState,
  type TerminalClaim,
  type TerminalSize,
  type TerminalState,
  defaultChatUri,
  makeId,
  parseChannelUri,
} from "@holdfast/ahp";
import { HostError, OWNER_CLIENT_ID, type TerminalStatus, type TerminalText } from "@holdfast/protocol";
import { TerminalOutput } from "@holdfast/terminal/view";
import type { Audit } from "../audit/audit.ts";
import { type Caller, maySee, requireOwner } from "../caller.ts";
import type { Hub } from "../channel/hub.ts";
import type { Storage, TerminalSpool } from "../ports.ts";
import { type TerminalUse, refuseUse } from "./claim-rules.ts";
import { ONLY_SHOWN } from "./display-run.ts";
import type { HostTerminalDesk } from "./host-terminal-desk.ts";
import type { HostTerminal } from "./host-terminal.ts";
import type { HostTerminals } from "./host-terminals.ts";
import type { TerminalFeed } from "./terminal-feed.ts";
import type { InputPlace } from "./piped-input.ts";
import { commandLineOf } from "./person-command.ts";
import type { NewCommand } from "./terminal-desk.ts";
import { TerminalFollower } from "./terminal-follower.ts";
import { terminalIdOf, terminalUrisOf } from "./terminal-id.ts";

/** What access to terminals needs. */
export interface TerminalAccessParts {
  readonly hub: Hub;
  readonly storage: Storage;
  readonly spool: TerminalSpool | undefined;
  readonly terminals: HostTerminals;
  readonly desk: HostTerminalDesk;
  readonly audit: Audit;
}

/** For whom a caller claims a terminal: for itself, or for the session whose agent made it. */
export interface WantedHolder {
  readonly kind: "client" | "session";
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

  /** Runs a command in a terminal of its own, for the audit to tell; nobody is asked, so it is for the owner alone. */
  async run(request: NewCommand, caller: Caller): Promise<TerminalStatus> {
    requireOwner(caller);
    const { audit, desk } = this.#parts;
    const command = {
      session: "",
      what: "command",
      subject: commandLineOf(request),
      cwd: request.cwd,
      by: `client ${OWNER_CLIENT_ID}`,
      verdict: "allowed",
    } as const;
    try {
      const { id } = await desk.run(request);
      audit.record({ ...command, outcome: "done" });
      return this.describe(id, caller);
    } catch (error) {
      audit.record({ ...command, outcome: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  /** The terminals that are there now. */
  list(caller: Caller): TerminalStatus[] {
    return this.#parts.terminals.all.flatMap(({ uri }) => {
      const state = this.#parts.hub.state(uri, "terminal");
      return state !== undefined && this.#maySee(caller, state) ? [this.#describe(state)] : [];
    });
  }

  /** The terminals of a session, the finished ones too, oldest first. */
  listOf({ resource }: SessionState): TerminalStatus[] {
    return this.#parts.storage.channelsOf(resource).flatMap((uri) => {
      // A chat may be long: it is not loaded only to find that it is none.
      const { kind = "terminal" } = parseChannelUri(uri) ?? {};
      const state = kind === "terminal" ? this.#state(uri) : undefined;
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
  ): TerminalFeed {
    const { resource: uri } = this.#find(id, caller);
    const { hub, spool, terminals } = this.#parts;
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
        state: () => this.#state(uri),
        onReadable,
        pace: isPaced ? live?.pace?.follow(after ?? 0) : undefined,
        onSkipped: (skippedBytes) => (this.#skippedBytes += skippedBytes),
      },
      after ?? 0,
    );
  }

  /** Types, or writes to a text command's input, if the caller holds the terminal; done when there is room for more. */
  async write(id: string, bytes: Uint8Array, caller: Caller, place: InputPlace = {}): Promise<void> {
    const { claim } = this.#find(id, caller);
    const input = this.#parts.terminals.get(id)?.input;
    if (input === undefined) {
      this.#findUsable(id, "input", caller).write(bytes);
      return;
    }
    if (claim.kind !== "client" || claim.clientId !== clientIdOf(caller)) {
      throw new HostError("TERMINAL_NOT_HELD");
    }
    await input.take(bytes, place);
  }

  /** Sets the size, if the caller holds the terminal; gives it as it is after clamping. */
  resize(id: string, size: TerminalSize, caller: Caller): TerminalSize {
    const terminal = this.#findUsable(id, "resize", caller);
    this.#parts.desk.resize(terminal, size);
    return this.#parts.hub.state(terminal.uri, "terminal")?.size ?? size;
  }

  /** Takes a terminal over for the caller; or gives it back to its session, or detaches it from the turn that uses it. */
  claim(id: string, { kind }: WantedHolder, caller: Caller): TerminalStatus {
    const state = this.#find(id, caller);
    const terminal = this.#parts.terminals.get(id);
    if (terminal === undefined) throw new HostError("TERMINAL_EXITED");
    const by = clientIdOf(caller);
    const wanted = kind === "client" ? ({ kind, clientId: by } as const) : sessionClaim(state, terminal);
    const claimed = this.#parts.desk.claims.claim(terminal, wanted, by);
    if (claimed.outcome === "rejected") throw new HostError("TERMINAL_NOT_HELD", claimed.reason);
    return this.#describe(this.#find(id, caller));
  }

  async kill(id: string, caller: Caller): Promise<void> {
    const { run, lifecycle } = this.#find(id, caller);
    if (run === "display" && lifecycle.status === "running") {
      throw new HostError("TERMINAL_NOT_INTERACTIVE", ONLY_SHOWN);
    }
    await this.#parts.terminals.get(id)?.kill();
  }

  #find(id: string, caller: Caller): TerminalState {
    for (const uri of terminalUrisOf(id)) {
      const state = this.#state(uri);
      if (state !== undefined && this.#maySee(caller, state)) return state;
    }
    throw new HostError("TERMINAL_NOT_FOUND");
  }

  /** A terminal that the caller may use so, by the rules of claims. */
  #findUsable(id: string, use: TerminalUse, caller: Caller): HostTerminal {
    const state = this.#find(id, caller);
    const terminal = this.#parts.terminals.get(id);
    if (terminal === undefined) throw new HostError("TERMINAL_EXITED");
    if (state.run === "display") throw new HostError("TERMINAL_NOT_INTERACTIVE", ONLY_SHOWN);
    switch (refuseUse(state, clientIdOf(caller), use)?.lack) {
      case "life":
        throw new HostError("TERMINAL_EXITED");
      case "screen":
        throw new HostError("TERMINAL_NOT_INTERACTIVE");
      case "claim":
        throw new HostError("TERMINAL_NOT_HELD");
      case undefined:
        return terminal;
    }
  }

  #state(uri: string): TerminalState | undefined {
    const live = this.#parts.hub.state(uri, "terminal");
    if (live !== undefined) return live;
    const kept = this.#parts.storage.loadChannel(uri);
    return kept?.kind === "terminal" ? kept.state : undefined;
  }

  /** What a person holds is the owner's alone, unless the caller's own agent made it. */
  #maySee(caller: Caller, { claim, resource }: TerminalState): boolean {
    if (caller.kind === "owner") return true;
    if (claim.kind === "client" && claim.clientId === clientIdOf(caller)) return true;
    const maker = this.#parts.terminals.find(resource)?.agent?.session;
    const uri = claim.kind === "session" ? claim.session : maker;
    const session = uri === undefined ? undefined : this.#parts.hub.state(uri, "session");
    return session !== undefined && maySee(caller, session.owner);
  }

  /** One terminal as the list shows it. */
  describe(id: string, caller: Caller): TerminalStatus {
    return this.#describe(this.#find(id, caller));
  }

  #describe(state: TerminalState): TerminalStatus {
    const { resource, claim, title, run, lifecycle, startedAt, cwd, size, output } = state;
    const id = terminalIdOf(resource);
    const live = this.#parts.terminals.get(id)?.output;
    const session = claim.kind === "session" ? this.#parts.hub.state(claim.session, "session") : undefined;
    return {
      id,
      session_key: session?.key ?? null,
      title,
      run,
      lifecycle,
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
    const extent = await this.#parts.spool?.extent(uri);
    if (extent === undefined) {
      return { bytes: new Uint8Array(), endOffset: output.endOffset, isCut: output.endOffset > 0 };
    }
    const pieces: Uint8Array[] = [];
    const from = Math.max(first, extent.startOffset, extent.endOffset - limit);
    let isCut = from > first;
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

/** The first byte that is shown: an agent may replace all that a terminal of its own shows. */
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

/** A caller as the client that holds terminals; an app's name cannot be taken for the owner's. */
function clientIdOf(caller: Caller): ClientId {
  return makeId("client", caller.kind === "owner" ? OWNER_CLIENT_ID : `app:${caller.appId}`);
}

function describeHolder(claim: TerminalClaim): TerminalStatus["holder"] {
  if (claim.kind === "session") return { kind: "session", inTurn: claim.turnId !== undefined };
  return { kind: "client", clientId: claim.clientId, isGone: claim.goneSince !== undefined };
}

/** A claim for the session that holds a terminal, or whose agent made it. */
function sessionClaim({ claim }: TerminalState, { agent }: HostTerminal): TerminalClaim {
  const session = claim.kind === "session" ? claim.session : agent?.session;
  if (session === undefined) {
    throw new HostError("INVALID_REQUEST", "No session made this terminal, so there is none to give it to.");
  }
  return { kind: "session", session, chat: defaultChatUri(session) };
}
