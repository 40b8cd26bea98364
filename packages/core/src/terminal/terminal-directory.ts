// Directory of terminals: found, listed and described for the callers that may see them.
import { fileURLToPath } from "node:url";
import {
  type SessionState,
  type TerminalClaim,
  type TerminalState,
  defaultChatUri,
  parseChannelUri,
} from "@holdfast/ahp";
import { HostError, type TerminalStatus } from "@holdfast/protocol";
import { type Caller, actorOf, maySee } from "../caller.ts";
import type { Hub } from "../channel/hub.ts";
import type { Storage } from "../ports.ts";
import { clientIdOf } from "../rules/rule.ts";
import type { HostTerminals } from "./host-terminals.ts";
import { terminalIdOf, terminalUrisOf } from "./terminal-id.ts";

export interface TerminalDirectoryDeps {
  readonly hub: Hub;
  readonly storage: Storage;
  readonly terminals: HostTerminals;
}

export class TerminalDirectory {
  readonly #deps: TerminalDirectoryDeps;

  constructor(deps: TerminalDirectoryDeps) {
    this.#deps = deps;
  }

  /** The terminals that are there now, oldest first: a host takes those of the one before in any order (C845). */
  list(caller: Caller): TerminalStatus[] {
    this.#deps.terminals.listed();
    return this.#deps.terminals.all
      .flatMap(({ uri }) => {
        const state = this.#deps.hub.state(uri, "terminal");
        return state !== undefined && this.maySee(caller, state) ? [this.#describe(state)] : [];
      })
      .toSorted((one, other) => startOf(one) - startOf(other));
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

  /** The claim for a caller, or for the session that holds a terminal or whose agent made it. */
  claimFor(id: string, kind: "client" | "session", caller: Caller): TerminalClaim {
    const { claim, resource } = this.find(id, caller);
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

  /** The state of a terminal that a caller may see. */
  find(id: string, caller: Caller): TerminalState {
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
    return this.#describe(this.find(id, caller));
  }

  #describe(state: TerminalState): TerminalStatus {
    const { resource, claim, title, run, lifecycle, leftovers, startedAt, cwd, size, output } = state;
    const id = terminalIdOf(resource);
    const live = this.#deps.terminals.get(id)?.output;
    const session = claim.kind === "session" ? this.#deps.hub.state(claim.session, "session") : undefined;
    const makerUri = this.#deps.terminals.find(resource)?.agent?.session;
    const maker = makerUri && this.#deps.hub.state(makerUri, "session");
    return {
      id,
      session_key: session?.key ?? null,
      ...(maker && { made_by: maker.key }),
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
}

function startOf({ startedAt }: TerminalStatus): number {
  return startedAt === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(startedAt);
}

function describeHolder(claim: TerminalClaim): TerminalStatus["holder"] {
  if (claim.kind === "session") return { kind: "session", inTurn: claim.turnId !== undefined };
  return { kind: "client", clientId: claim.clientId, isGone: claim.goneSince !== undefined };
}
