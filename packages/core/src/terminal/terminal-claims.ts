// Carries out claims: who holds a terminal changes, and the session whose agent used it learns of it.
import {
  type ClientClaim,
  type ClientId,
  type SessionClaim,
  type SessionUri,
  type TerminalClaim,
  type TerminalState,
  defaultChatUri,
  makeId,
} from "@holdfast/ahp";
import { OWNER_CLIENT_ID } from "@holdfast/protocol";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin } from "../channel/log-entry.ts";
import { ruleOnClaim } from "./claim-rules.ts";
import type { HostTerminal } from "./host-terminal.ts";
import type { HostTerminals } from "./host-terminals.ts";
import type { Submission } from "./terminal-desk.ts";

/** What claiming needs. */
export interface TerminalClaimsParts {
  readonly hub: Hub;
  readonly terminals: HostTerminals;
  readonly now: () => Date;
  /** How long what a vanished client holds is kept. */
  readonly goneClientMs: number;
  /** Ends a terminal. */
  readonly dispose: (terminal: HostTerminal) => Promise<void>;
  readonly onFault: (error: unknown) => void;
}

/** The claims on a host's terminals. `close` forgets who is gone. */
export class TerminalClaims {
  readonly #parts: TerminalClaimsParts;
  /** Clients that are not connected, and when what they hold is ended. */
  readonly #gone = new Map<ClientId, NodeJS.Timeout>();

  constructor(parts: TerminalClaimsParts) {
    this.#parts = parts;
  }

  /** Judges a client's claim against the state it meets, and carries it out. */
  claim(terminal: HostTerminal, wanted: TerminalClaim, by: ClientId, origin?: ActionOrigin): Submission {
    const { hub, terminals } = this.#parts;
    const state = hub.state(terminal.uri, "terminal");
    if (state === undefined) return { outcome: "unknown-channel" };
    const ruling = ruleOnClaim(state, wanted, by, (session) => hub.state(session, "session") !== undefined);
    switch (ruling.kind) {
      case "refused":
        return { outcome: "rejected", reason: ruling.reason };
      case "unchanged":
        return { outcome: "accepted" };
      case "taken-over": {
        const entry = terminals.claim(terminal, ruling.claim, origin);
        terminal.agent?.moved(terminal, "person");
        return accepted(entry);
      }
      case "passed-on":
        return accepted(this.#passOn(terminal, ruling.claim, origin));
      case "given":
        return accepted(this.#give(terminal, ruling.session, origin));
      case "detached": {
        const entry = terminals.claim(terminal, this.#plainClaim(state), origin);
        terminal.agent?.moved(terminal, "background");
        return accepted(entry);
      }
    }
  }

  /** A client is gone: what it holds says so, and is ended if it does not come back in time. */
  gone(clientId: ClientId): void {
    if (this.#gone.has(clientId)) return;
    const expire = (): void => {
      this.#gone.delete(clientId);
      for (const terminal of this.#heldBy(clientId)) this.#abandon(terminal);
    };
    const timer = setTimeout(expire, this.#parts.goneClientMs);
    timer.unref();
    this.#gone.set(clientId, timer);
    for (const terminal of this.#heldBy(clientId)) this.noteHolder(terminal, clientId);
  }

  /** A client is back: what it holds is its own again. */
  back(clientId: ClientId): void {
    const timer = this.#gone.get(clientId);
    if (timer === undefined) return;
    clearTimeout(timer);
    this.#gone.delete(clientId);
    for (const terminal of this.#heldBy(clientId)) {
      this.#parts.terminals.claim(terminal, { kind: "client", clientId });
    }
  }

  /** Marks what a client holds if it is gone: it may have gone while its terminal was being started. */
  noteHolder(terminal: HostTerminal, clientId: ClientId): void {
    if (!this.#gone.has(clientId)) return;
    const goneSince = this.#parts.now().toISOString();
    this.#parts.terminals.claim(terminal, { kind: "client", clientId, goneSince });
  }

  close(): void {
    for (const timer of this.#gone.values()) clearTimeout(timer);
    this.#gone.clear();
  }

  /** The holder gives a terminal to a session; the one that made it takes it up where it left it. */
  #give(
    terminal: HostTerminal,
    session: SessionUri,
    origin?: ActionOrigin,
  ): ReturnType<HostTerminals["claim"]> {
    const { hub, terminals } = this.#parts;
    const { agent } = terminal;
    if (agent?.session === session) {
      const entry = terminals.claim(terminal, agent.claimOf(terminal), origin);
      agent.moved(terminal, "agent");
      return entry;
    }
    const chat = hub.state(session, "session")?.defaultChat ?? defaultChatUri(session);
    return terminals.claim(terminal, { kind: "session", session, chat }, origin);
  }

  /** To another client; or to the owner, who is never connected, so that it stays for whoever claims it next (U36). */
  #passOn(
    terminal: HostTerminal,
    claim: ClientClaim,
    origin?: ActionOrigin,
  ): ReturnType<HostTerminals["claim"]> {
    const { terminals, now } = this.#parts;
    if (claim.clientId !== OWNER_CLIENT_ID) return terminals.claim(terminal, claim, origin);
    terminal.isKept = true;
    return terminals.claim(terminal, ownerClaim(now()), origin);
  }

  /** Nobody came back for it: an agent's command goes on as the agent's, what is kept stays, a person's shell is ended. */
  #abandon(terminal: HostTerminal): void {
    const { agent } = terminal;
    const { hub, dispose, onFault } = this.#parts;
    const claim = hub.state(terminal.uri, "terminal")?.claim;
    if (claim?.kind !== "client" || claim.goneSince === undefined) return;
    if (agent !== undefined && hub.has(agent.session)) this.#give(terminal, agent.session);
    else if (terminal.isKept) this.#parts.terminals.claim(terminal, ownerClaim(this.#parts.now()));
    else dispose(terminal).catch(onFault);
  }

  #heldBy(clientId: ClientId): readonly HostTerminal[] {
    const { hub, terminals } = this.#parts;
    return terminals.all.filter(({ uri }) => {
      const claim = hub.state(uri, "terminal")?.claim;
      return claim?.kind === "client" && claim.clientId === clientId;
    });
  }

  #plainClaim({ claim }: TerminalState): TerminalClaim {
    if (claim.kind === "client") return claim;
    const { kind, session, chat } = claim;
    return { kind, session, chat } satisfies SessionClaim;
  }
}

/** The owner's hold on a terminal that waits for whoever claims it. */
export function ownerClaim(now: Date): ClientClaim {
  return { kind: "client", clientId: makeId("client", OWNER_CLIENT_ID), goneSince: now.toISOString() };
}

function accepted(entry: ReturnType<HostTerminals["claim"]>): Submission {
  return { outcome: "accepted", ...(entry !== undefined && { entry }) };
}
