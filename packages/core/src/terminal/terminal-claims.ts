// Execution of claims: the holder of a terminal changes, and the session whose agent used it is notified.
import {
  type ClientClaim,
  type ClientId,
  type SessionState,
  type SessionUri,
  type TerminalAction,
  type TerminalState,
  defaultChatUri,
  makeId,
} from "@holdfast/ahp";
import { OWNER_CLIENT_ID } from "@holdfast/protocol";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import { ruleOnClaim, sizeAfterRelease } from "../rules/terminal-rules.ts";
import { type Submission, accepted, rejected } from "../submit/submission.ts";
import type { HostTerminal } from "./host-terminal.ts";
import type { HostTerminals } from "./host-terminals.ts";

type ClaimAction = Extract<TerminalAction, { readonly type: "terminal/claimed" }>;

/** Dependencies of the claims. */
export interface TerminalClaimsParts {
  readonly hub: Hub;
  readonly terminals: HostTerminals;
  readonly now: () => Date;
  /** How long the terminals of a vanished client are kept. */
  readonly goneClientMs: number;
  /** How long they keep the size of its window. */
  readonly goneSizeMs: number;
  /** Ends a terminal. */
  readonly dispose: (terminal: HostTerminal) => Promise<void>;
  readonly onFault: (error: unknown) => void;
}

/** The claims on a host's terminals. `close` forgets the clients that are gone. */
export class TerminalClaims {
  readonly #parts: TerminalClaimsParts;
  /** Clients that are not connected, with the timers of what they hold: when it loses their size, and when it is ended. */
  readonly #gone = new Map<ClientId, readonly NodeJS.Timeout[]>();
  readonly #connected = new Set<ClientId>();

  constructor(parts: TerminalClaimsParts) {
    this.#parts = parts;
  }

  /** Performs a client's claim, if the rules allow it in the state that it meets. */
  claim(
    terminal: HostTerminal,
    state: TerminalState,
    { claim: wanted, confirmed }: ClaimAction,
    by: ClientId,
    origin?: ActionOrigin,
  ): Submission {
    const { hub, terminals } = this.#parts;
    const change = ruleOnClaim(state, wanted, by, {
      isOpen: (session) => hub.state(session, "session") !== undefined,
      isKnown: (client) => this.isKnown(client),
      isOutside: (session) => this.#isOutside(terminal, session),
      confirmed,
    });
    if ("allowed" in change) return rejected(change);
    switch (change.kind) {
      case "unchanged":
        return accepted();
      case "taken-over": {
        const entry = terminals.channels.claim(terminal, change.claim, origin);
        terminal.agent?.moved(terminal, "person");
        return accepted(entry);
      }
      case "passed-on":
        return accepted(this.#passOn(terminal, change.claim, origin));
      case "given":
        // Whoever takes it over later may hand it back without another confirmation.
        terminal.confirmedFor.add(change.session);
        return accepted(this.#give(terminal, change.session, origin));
      case "detached": {
        const entry = terminals.channels.claim(terminal, change.claim, origin);
        terminal.agent?.moved(terminal, "background");
        return accepted(entry);
      }
    }
  }

  /** Whether a client is connected, was so and may come back, or is the owner, who never is (U36). */
  isKnown(clientId: ClientId): boolean {
    return clientId === OWNER_CLIENT_ID || this.#connected.has(clientId) || this.#gone.has(clientId);
  }

  /** A client is gone: what it holds says so, and is ended if it does not come back in time. */
  gone(clientId: ClientId): void {
    if (this.#gone.has(clientId)) return;
    this.#connected.delete(clientId);
    const expire = (): void => {
      this.#gone.delete(clientId);
      for (const terminal of this.#heldBy(clientId)) this.#abandon(terminal);
    };
    const release = (): void => {
      for (const terminal of this.#heldBy(clientId)) this.#release(terminal);
    };
    const { goneClientMs, goneSizeMs } = this.#parts;
    const timers = [setTimeout(release, goneSizeMs), setTimeout(expire, goneClientMs)];
    for (const timer of timers) timer.unref();
    this.#gone.set(clientId, timers);
    for (const terminal of this.#heldBy(clientId)) this.noteHolder(terminal, clientId);
  }

  /** After a restart no client is connected: those that hold something have their time to come back. */
  restore(): void {
    const { hub, terminals } = this.#parts;
    for (const { uri } of terminals.all) {
      const claim = hub.state(uri, "terminal")?.claim;
      if (claim?.kind === "client" && claim.clientId !== OWNER_CLIENT_ID) this.gone(claim.clientId);
    }
  }

  /** A client is back: what it holds is its own again. */
  back(clientId: ClientId): void {
    this.#connected.add(clientId);
    const timers = this.#gone.get(clientId);
    if (timers === undefined) return;
    for (const timer of timers) clearTimeout(timer);
    this.#gone.delete(clientId);
    for (const terminal of this.#heldBy(clientId)) {
      this.#parts.terminals.channels.claim(terminal, { kind: "client", clientId });
    }
  }

  /** Marks what a client holds if it is gone: it may have gone while its terminal was being started. */
  noteHolder(terminal: HostTerminal, clientId: ClientId): void {
    if (!this.#gone.has(clientId)) return;
    const goneSince = this.#parts.now().toISOString();
    this.#parts.terminals.channels.claim(terminal, { kind: "client", clientId, goneSince });
  }

  close(): void {
    for (const timer of [...this.#gone.values()].flat()) clearTimeout(timer);
    this.#gone.clear();
  }

  /** Whether a terminal would bring an isolated session something that is not: a person's shell, mostly. */
  #isOutside(terminal: HostTerminal, session: SessionUri): boolean {
    const isKnown = terminal.agent?.session === session || terminal.confirmedFor.has(session);
    return !terminal.isIsolated && !isKnown && isIsolated(this.#parts.hub.state(session, "session"));
  }

  /** The holder gives a terminal to a session; the one that made it resumes its claim where it left it. */
  #give(terminal: HostTerminal, session: SessionUri, origin?: ActionOrigin): LogEntry | undefined {
    const { hub, terminals } = this.#parts;
    const { agent } = terminal;
    this.#release(terminal);
    if (agent?.session === session) {
      const entry = terminals.channels.claim(terminal, agent.claimOf(terminal), origin);
      agent.moved(terminal, "agent");
      return entry;
    }
    const chat = hub.state(session, "session")?.defaultChat ?? defaultChatUri(session);
    return terminals.channels.claim(terminal, { kind: "session", session, chat }, origin);
  }

  /** To another client; or to the owner, who is never connected, so that it stays for the next client that claims it (U36). */
  #passOn(terminal: HostTerminal, claim: ClientClaim, origin?: ActionOrigin): LogEntry | undefined {
    const { terminals, now } = this.#parts;
    if (claim.clientId !== OWNER_CLIENT_ID) {
      const entry = terminals.channels.claim(terminal, claim, origin);
      this.noteHolder(terminal, claim.clientId);
      return entry;
    }
    terminal.isKept = true;
    this.#release(terminal);
    return terminals.channels.claim(terminal, ownerClaim(now()), origin);
  }

  /** No client holds a terminal any more: it has no longer the size of a window. */
  #release(terminal: HostTerminal): void {
    const state = this.#parts.hub.state(terminal.uri, "terminal");
    const size = state && sizeAfterRelease(state, terminal.startSize);
    if (size === undefined) return;
    terminal.publisher.dispatch({ type: "terminal/resized", ...terminal.setSize(size) });
  }

  /** Nobody came back for it: an agent's command returns to the agent, what is kept stays, a person's shell is ended. */
  #abandon(terminal: HostTerminal): void {
    const { agent } = terminal;
    const { hub, dispose, onFault } = this.#parts;
    const claim = hub.state(terminal.uri, "terminal")?.claim;
    if (claim?.kind !== "client" || claim.goneSince === undefined) return;
    if (agent !== undefined && hub.has(agent.session)) this.#give(terminal, agent.session);
    else if (terminal.isKept) this.#parts.terminals.channels.claim(terminal, ownerClaim(this.#parts.now()));
    else dispose(terminal).catch(onFault);
  }

  #heldBy(clientId: ClientId): readonly HostTerminal[] {
    const { hub, terminals } = this.#parts;
    return terminals.all.filter(({ uri }) => {
      const claim = hub.state(uri, "terminal")?.claim;
      return claim?.kind === "client" && claim.clientId === clientId;
    });
  }
}

/** The owner's hold on a terminal that waits for the next client that claims it. */
export function ownerClaim(now: Date): ClientClaim {
  return { kind: "client", clientId: makeId("client", OWNER_CLIENT_ID), goneSince: now.toISOString() };
}

/** Whether a session's processes are isolated, as far as that is known. */
export function isIsolated(session: SessionState | undefined): boolean {
  return (session?.isolation?.level ?? "none") !== "none";
}
