// Terminals that clients open for themselves: shells and commands, until they are disposed of.
import { type ClientId, type TerminalClaim, type TerminalUri, defaultChatUri } from "@holdfast/ahp";
import { type ProcessPort, TerminalError } from "@holdfast/terminal/port";
import { HostError } from "@holdfast/protocol";
import { removeShellFolder } from "@holdfast/terminal/shell-integration";
import { ALLOWED, type Audit } from "../audit/audit.ts";
import { recordCommand } from "../audit/command-audit.ts";
import type { Hub } from "../channel/hub.ts";
import type { Storage, TerminalSpool } from "../ports.ts";
import type { NewCommand, NewShell } from "../submit/submission.ts";
import type { FinishedTerminals } from "./finished-terminals.ts";
import type { HostTerminal } from "./host-terminal.ts";
import type { HostTerminals } from "./host-terminals.ts";
import { commandLineOf, planCommand, startFailure } from "./person-command.ts";
import { type PersonShell, preparePersonShell } from "./person-shell.ts";
import { type TerminalClaims, isIsolated, ownerClaim } from "./terminal-claims.ts";

export interface PersonTerminalsDeps {
  readonly hub: Hub;
  readonly processPort: ProcessPort;
  readonly storage: Storage;
  readonly spool: TerminalSpool | undefined;
  readonly terminals: HostTerminals;
  readonly finished: FinishedTerminals;
  readonly claims: TerminalClaims;
  readonly audit: Audit;
  readonly now: () => Date;
  readonly onFault: (error: unknown) => void;
}

/** The most text that is kept of a person's terminal for its readers. */
const textLimitBytes = 1024 * 1024;
/** How many of people's terminals that have ended stay on the list. */
const maxEnded = 64;

export class PersonTerminals {
  readonly #deps: PersonTerminalsDeps;

  constructor(deps: PersonTerminalsDeps) {
    this.#deps = deps;
  }

  /** Starts a shell; rejects with a `HostError` (`TERMINAL_EXISTS`, `INVALID_REQUEST`), and then leaves nothing. */
  async openShell(request: NewShell, clientId: ClientId): Promise<TerminalUri> {
    const { uri } = request;
    const { processPort, claims, hub } = this.#deps;
    const claim = this.#initialClaim(request, clientId);
    if (uri !== undefined) await this.#requireFree(uri);
    const shell = await preparePersonShell(processPort, request);
    if (uri !== undefined) await this.#forgetFinished(uri);
    const terminal = await this.#start(request, shell, claim);
    const subject = commandLineOf(request.program ?? shell.prepared);
    const by = `client ${clientId}`;
    await this.#record({ session: "", subject, cwd: shell.cwd, by, ...ALLOWED }, terminal);
    if (claim.kind === "client") claims.noteHolder(terminal, claim.clientId);
    else if (!hub.has(claim.session)) {
      // It closed meanwhile, and nothing would end what it holds.
      await disposeOf(terminal);
      throw new HostError("ACP_SESSION_NOT_FOUND");
    }
    this.#dropOldestAfter(terminal);
    return terminal.uri;
  }

  /** Runs a command of the owner's, on record; it stays when nobody follows it, and any client may claim it. */
  async run(request: NewCommand, clientId: ClientId): Promise<TerminalUri> {
    const { processPort, terminals, audit, now } = this.#deps;
    const names = Object.keys(request.env ?? {});
    const entry = {
      session: "",
      subject: commandLineOf(request),
      cwd: request.cwd,
      by: `client ${clientId}`,
      ...ALLOWED,
      ...(names.length > 0 && { environment: names }),
    } as const;
    try {
      const plan = await planCommand(processPort, request);
      const claim = ownerClaim(now());
      const terminal = await terminals.open({ ...plan, claim, textLimitBytes, isKept: true });
      this.#dropOldestAfter(terminal);
      await this.#record(entry, terminal);
      return terminal.uri;
    } catch (error) {
      const failure = startFailure(error);
      const outcome = failure instanceof Error ? failure.message : String(failure);
      audit.record({ ...entry, what: "command", outcome });
      throw failure;
    }
  }

  /** A command that cannot be recorded is ended again (D262). */
  async #record(entry: Parameters<typeof recordCommand>[1], terminal: HostTerminal): Promise<void> {
    const { audit, onFault } = this.#deps;
    try {
      recordCommand(audit, entry, terminal, onFault);
    } catch (error) {
      await disposeOf(terminal);
      throw error;
    }
  }

  #dropOldestAfter({ exited }: HostTerminal): void {
    void exited.then(() => this.#dropOldest()).catch(this.#deps.onFault);
  }

  /** People leave shells behind that have ended: the oldest are removed first. */
  async #dropOldest(): Promise<void> {
    const { terminals } = this.#deps;
    const ended = terminals.all.filter(({ agent, state }) => agent === undefined && state.name === "exited");
    await Promise.all(ended.slice(0, -maxEnded).map(disposeOf));
  }

  /** A URI is free when nothing runs there, and what is stored of an earlier terminal belongs to no session's history. */
  async #requireFree(uri: TerminalUri): Promise<void> {
    const { hub, storage, terminals } = this.#deps;
    if (terminals.find(uri) !== undefined) throw new HostError("TERMINAL_EXISTS");
    // Its disposal may not be stored yet.
    await hub.settled();
    const kept = storage.loadChannel(uri);
    const isReusable =
      kept === undefined || (kept.kind === "terminal" && !kept.isOpen && kept.state.claim.kind === "client");
    if (!isReusable) throw new HostError("TERMINAL_EXISTS");
  }

  /** Removes the finished terminal that had the same URI; opening the new channel replaces the stored one (E79). */
  async #forgetFinished(uri: TerminalUri): Promise<void> {
    this.#deps.finished.forget(uri);
    await this.#deps.spool?.remove(uri);
  }

  #initialClaim({ claim }: NewShell, clientId: ClientId): TerminalClaim {
    if (claim === undefined) return { kind: "client", clientId };
    if (claim.kind === "client") {
      if (claim.clientId !== clientId && !this.#deps.claims.isKnown(claim.clientId)) {
        throw new HostError(
          "INVALID_REQUEST",
          "claim: there is no such client. Claim it for your own clientId.",
        );
      }
      return { kind: "client", clientId: claim.clientId };
    }
    const session = this.#deps.hub.state(claim.session, "session");
    if (session === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    // A person's terminal is not isolated; a separate claim confirms that the session may have it (U641).
    if (isIsolated(session)) throw new HostError("TERMINAL_NOT_ISOLATED");
    const chat = session.defaultChat ?? defaultChatUri(claim.session);
    return { kind: "session", session: claim.session, chat };
  }

  async #start(
    { uri, name }: NewShell,
    { prepared, cwd, size }: PersonShell,
    claim: TerminalClaim,
  ): Promise<HostTerminal> {
    const { command, args, env } = prepared;
    try {
      const terminal = await this.#deps.terminals.open({
        uri,
        title: name ?? command,
        titleSource: name === undefined ? "program" : "person",
        claim,
        kind: "tty",
        command,
        args,
        cwd,
        env,
        size,
        textLimitBytes,
        nonce: prepared.integrated ? prepared.nonce : undefined,
        shellFolder: prepared.integrated ? prepared.folder : undefined,
      });
      void terminal.exited.then(() => removeShellFolder(prepared)).catch(this.#deps.onFault);
      return terminal;
    } catch (error) {
      await removeShellFolder(prepared);
      throw error instanceof TerminalError
        ? new HostError("INVALID_REQUEST", `${error.message}.`, { cause: error })
        : error;
    }
  }
}

/** Ends a terminal and removes it from the list. */
export async function disposeOf(terminal: HostTerminal): Promise<void> {
  terminal.agent?.forget(terminal);
  await terminal.close();
}
