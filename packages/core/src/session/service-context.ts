// The view of a session that its agent's services share.
import type { ApprovalPolicy, ChatUri, SessionKey, SessionState, SessionUri } from "@holdfast/ahp";
import type { HeldTerminals } from "@holdfast/terminal/acp-parts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { Translated } from "../agent/session-updates.ts";
import type { ApprovalPlace, Approvals } from "../approval/approvals.ts";
import type { InputRequests } from "../approval/input-requests.ts";
import type { Audit } from "../audit/audit.ts";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import type { HostTerminals } from "../terminal/host-terminals.ts";
import type { CommandCalls } from "./command-calls.ts";
import type { Turn } from "./turn.ts";

/** A session as its agent's services see it. */
export interface ServiceContext {
  readonly hub: Hub;
  readonly approvals: Approvals;
  readonly inputs: InputRequests;
  readonly audit: Audit;
  readonly terminals: HostTerminals;
  readonly held: HeldTerminals<HostTerminal>;
  readonly commandCalls: CommandCalls;
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  readonly state: SessionState;
  /** The folders that the session may work in; the first is where commands run. */
  readonly roots: readonly string[];
  readonly policy: ApprovalPolicy | undefined;
  /** The running turn. */
  readonly turn: Turn | undefined;
  /** The agent's quirks, for the few services that depend on them. */
  readonly entry: Pick<AgentEntry, "quirks">;
  dispatch(translated: Translated, origin?: ActionOrigin): LogEntry | undefined;
  now(): Date;
  warn(message: string): void;
}

/** The running turn, or undefined when there is none to ask in. */
export function openTurn(context: ServiceContext): Turn | undefined {
  const { turn } = context;
  return turn === undefined || turn.isOver || turn.wasCancelled ? undefined : turn;
}

/** The place of a question of a turn. */
export function placeOf(context: ServiceContext, turn: Turn): ApprovalPlace {
  const { uri: session, key, chat } = context;
  return {
    session,
    key,
    chat,
    turnId: turn.id,
    dispatch: (translated, origin) => context.dispatch(translated, origin),
  };
}
