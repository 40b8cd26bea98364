// The one path for everything that clients ask for: finds the channel, checks that the actor may see it and that the
// change can be recorded, and hands the submission to the executor of its noun, which asks the rules.
import { type Action, ROOT_URI, type TerminalState, parseChannelUri } from "@holdfast/ahp";
import type { PermissionRules } from "../approval/permission-rules.ts";
import { recordOptions } from "../audit/option-audit.ts";
import { ruleChange } from "../audit/rule-audit.ts";
import { callerOf, maySee, requireOwner } from "../caller.ts";
import { hostOnly, clientIdOf, reject } from "../rules/rule.ts";
import { checkActiveClient } from "../rules/session-rules.ts";
import { readFork } from "../session/fork.ts";
import type { SessionDirectory } from "../session/session-directory.ts";
import type { PersonTerminals } from "../terminal/person-terminals.ts";
import type { TerminalDirectory } from "../terminal/terminal-directory.ts";
import { type ChatDeps, submitToChat } from "./chat-executor.ts";
import {
  type SessionExecutorDeps,
  deleteSession,
  reopenSession,
  submitToSession,
} from "./session-executor.ts";
import {
  type NewSession,
  type NewTerminal,
  type Request,
  type Submission,
  type SubmittedBy,
  accepted,
  isRequest,
  needsRecording,
  rejected,
  rejectionOf,
} from "./submission.ts";
import { type TerminalDeps, submitToTerminal } from "./terminal-executor.ts";

export interface SubmissionDeps extends ChatDeps, SessionExecutorDeps, TerminalDeps {
  readonly directory: SessionDirectory;
  readonly terminalDirectory: TerminalDirectory;
  readonly personTerminals: PersonTerminals;
  readonly rules: PermissionRules;
}

export class Submissions {
  readonly #deps: SubmissionDeps;

  constructor(deps: SubmissionDeps) {
    this.#deps = deps;
  }

  /**
   * Performs what a client asks of a channel. Call it once for each (clientId, clientSeq). Input is answered at once;
   * one that an agent or a process has to accept takes a moment. Rejects only on an internal error.
   */
  submit(uri: string, submitted: Action | Request, by: SubmittedBy): Submission | Promise<Submission> {
    const { recording } = this.#deps.hub;
    if (!needsRecording(submitted) || recording.problem === undefined) {
      return this.#perform(uri, submitted, by);
    }
    // There may be space again by now (D260).
    return recording.requireNow().then(() => this.#perform(uri, submitted, by), rejectionOf);
  }

  #perform(uri: string, submitted: Action | Request, by: SubmittedBy): Submission | Promise<Submission> {
    try {
      const submission = this.#route(uri, submitted, by);
      return submission instanceof Promise ? submission.catch(rejectionOf) : submission;
    } catch (error) {
      return rejectionOf(error);
    }
  }

  #route(uri: string, submitted: Action | Request, by: SubmittedBy): Submission | Promise<Submission> {
    if (uri === ROOT_URI) return this.#submitToRoot(submitted, by);
    const { hub, sessions } = this.#deps;
    if (submitted.type === "session/delete") return this.#submitToAny(uri, by, deleteSession);
    if (submitted.type === "session/reopen") return this.#submitToAny(uri, by, reopenSession);
    const terminal = hub.state(uri, "terminal");
    if (terminal !== undefined) return this.#submitToTerminal(terminal, submitted, by);
    const session = sessions.ofChannel(uri);
    if (session === undefined) return this.#submitToStored(uri, submitted, by);
    if (!maySee(callerOf(by.actor), session.state.owner)) return UNKNOWN_CHANNEL;
    return session.chat.uri === uri
      ? submitToChat(this.#deps, session, submitted, by)
      : submitToSession(this.#deps, session, submitted, by);
  }

  #submitToTerminal(
    state: TerminalState,
    submitted: Action | Request,
    by: SubmittedBy,
  ): Submission | Promise<Submission> {
    const { terminalDirectory, terminals } = this.#deps;
    if (!terminalDirectory.maySee(callerOf(by.actor), state)) return UNKNOWN_CHANNEL;
    return submitToTerminal(this.#deps, terminals.find(state.resource), state, submitted, by);
  }

  /** Performs a request to any session: open, being closed, or stored. */
  #submitToAny(
    uri: string,
    by: SubmittedBy,
    perform: typeof deleteSession,
  ): Submission | Promise<Submission> {
    const found = this.#deps.directory.find(uri);
    const stored =
      found?.kind === "kept" && found.channel.kind === "session" ? found.channel.state : undefined;
    const session = this.#deps.hub.state(uri, "session") ?? stored;
    if (session === undefined || !maySee(callerOf(by.actor), session.owner)) return UNKNOWN_CHANNEL;
    return perform(this.#deps, session.resource, by);
  }

  /** A channel that is out of memory can only be read. */
  #submitToStored(
    uri: string,
    submitted: Action | Request,
    by: SubmittedBy,
  ): Submission | Promise<Submission> {
    const { directory, terminalDirectory } = this.#deps;
    const { kind = "terminal" } = parseChannelUri(uri) ?? {};
    if (kind !== "terminal") {
      // To an app, a session that is over looks like one that never existed.
      const isVisible = by.actor.kind === "client" && directory.find(uri) !== undefined;
      return isVisible ? rejected(SESSION_OVER) : UNKNOWN_CHANNEL;
    }
    const terminal = terminalDirectory.stateOf(uri);
    return terminal === undefined ? UNKNOWN_CHANNEL : this.#submitToTerminal(terminal, submitted, by);
  }

  #submitToRoot(submitted: Action | Request, by: SubmittedBy): Submission | Promise<Submission> {
    if (!isRequest(submitted)) {
      if (submitted.type !== "root/configChanged") return rejected(hostOnly(submitted));
      requireOwner(callerOf(by.actor));
      return accepted(this.#deps.hub.dispatch(ROOT_URI, submitted, by.origin));
    }
    switch (submitted.type) {
      case "root/createSession":
        return this.#createSession(submitted, by);
      case "root/createTerminal":
        return this.#createTerminal(submitted, by);
      case "root/removePermissionRule":
        return this.#removeRule(submitted.id, by);
      default:
        return rejected(hostOnly(submitted));
    }
  }

  #removeRule(id: string, { actor }: SubmittedBy): Submission {
    const { rules, audit } = this.#deps;
    const kept = rules.folderRules.find(({ rule }) => rule.id === id);
    const isVisible = kept !== undefined && maySee(callerOf(actor), kept.owner);
    if (!isVisible || !rules.remove(id)) return rejected(NO_SUCH_RULE);
    audit.record(ruleChange("", { id, subject: id }, actor, "removed"));
    return accepted();
  }

  async #createSession(request: NewSession, { actor, ceiling }: SubmittedBy): Promise<Submission> {
    const { name, activeClient, awaitsAgent, appName, preferences } = request;
    const { sessions } = this.#deps;
    if (activeClient !== undefined && activeClient.tools.length > 0) {
      const ruling = checkActiveClient({ type: "session/activeClientSet", client: activeClient }, actor);
      if (!ruling.allowed) return rejected(ruling);
    }
    const caller = {
      ...callerOf(actor),
      ...(appName !== undefined && { name: appName }),
      ...(ceiling !== undefined && { ceiling }),
    };
    const fork = request.forkOf === undefined ? undefined : readFork(sessions, request.forkOf, caller);
    const session = await sessions.open({ ...fork?.options, ...request.options }, caller, name);
    const { approvalPolicy } = session.state.runtimeOptions;
    const after = approvalPolicy === undefined ? {} : { approvalPolicy };
    recordOptions(this.#deps.audit, session.key, { before: {}, after, by: actor });
    // First, so that its agent is offered the client's tools.
    if (activeClient !== undefined) session.setActiveClient(activeClient);
    if (awaitsAgent) await sessions.start(session, fork?.backendId);
    else sessions.startInBackground(session, preferences);
    return accepted(undefined, { uri: session.uri });
  }

  /** Nobody is asked before a terminal is opened, so only the owner may. */
  async #createTerminal({ shell, command }: NewTerminal, { actor }: SubmittedBy): Promise<Submission> {
    requireOwner(callerOf(actor));
    const { personTerminals } = this.#deps;
    const clientId = clientIdOf(actor);
    const uri =
      shell === undefined
        ? await personTerminals.run(command, clientId)
        : await personTerminals.openShell(shell, clientId);
    return accepted(undefined, { uri });
  }
}

const UNKNOWN_CHANNEL: Submission = { outcome: "unknown-channel" };
const NO_SUCH_RULE = reject("There is no such permission. It may have been removed already.", "NOT_FOUND");
const SESSION_OVER = reject("This session is closed. Reopen it to continue.", "ACP_SESSION_NOT_FOUND");
