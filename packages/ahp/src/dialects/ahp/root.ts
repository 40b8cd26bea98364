// The root as AHP writes it: agents, terminals, and notifications about sessions.
import type { JsonObject } from "../../model/json.ts";
import type { AgentInfo } from "../../model/root/agent.ts";
import type { RootAction, RootState } from "../../model/root/root.ts";
import type { SessionSummary } from "../../model/session/session-summary.ts";
import type { TerminalInfo } from "../../model/terminal/terminal.ts";
import type { StepOf } from "../dialect.ts";
import { DEFAULT_MODEL_ID } from "./message.ts";
import { changedFields, stepOf, type WireAction, type WireStep } from "./wire-action.ts";

/** How a version writes what is in the root's lists. */
export interface RootStyle<WireSummary extends object, WireTerminal extends object> {
  readonly showSummary: (summary: SessionSummary) => WireSummary;
  readonly showTerminalInfo: (info: TerminalInfo) => WireTerminal;
}

/** The root; a request lists sessions, notifications report changes of the list. */
interface WireRootState<WireTerminal> {
  readonly agents: readonly WireAgent[];
  readonly activeSessions: number;
  readonly terminals: readonly WireTerminal[];
  readonly config?: { readonly schema: JsonObject; readonly values: JsonObject };
}

export function showRoot<WireTerminal extends object>(
  { agents, sessions, terminals, config }: RootState,
  { showTerminalInfo }: RootStyle<object, WireTerminal>,
): WireRootState<WireTerminal> {
  return {
    agents: showAgents(agents),
    activeSessions: sessions.length,
    terminals: terminals.map(showTerminalInfo),
    config,
  };
}

type SessionNotice =
  | { readonly name: "sessionAdded"; readonly params: { readonly summary: object } }
  | { readonly name: "sessionRemoved"; readonly params: { readonly session: string } }
  | {
      readonly name: "sessionSummaryChanged";
      readonly params: { readonly session: string; readonly changes: object };
    };

/** A change in the list of sessions, which AHP reports by a notification instead of an action. */
export function sessionNotice(
  { action, before, after }: StepOf<"root">,
  { showSummary }: RootStyle<object, object>,
): SessionNotice | undefined {
  switch (action.type) {
    case "root/sessionAdded":
      return { name: "sessionAdded", params: { summary: showSummary(action.summary) } };
    case "root/sessionRemoved":
      return { name: "sessionRemoved", params: { session: action.session } };
    case "root/sessionSummaryChanged": {
      const { session } = action;
      const isMeant = ({ resource }: SessionSummary): boolean => resource === session;
      const from = before.sessions.find(isMeant);
      const to = after.sessions.find(isMeant);
      const changes = from && to && changedFields(showSummary(from), showSummary(to));
      return changes && { name: "sessionSummaryChanged", params: { session, changes } };
    }
    default:
      return undefined;
  }
}

export function stepRoot(
  { action, before, after }: StepOf<"root">,
  { showTerminalInfo }: RootStyle<object, object>,
): WireStep {
  const actions: WireAction[] = [];
  const shown = showRootAction(action, showTerminalInfo);
  if (shown) actions.push(shown);
  if (before.sessions.length !== after.sessions.length) {
    actions.push({ type: "root/activeSessionsChanged", activeSessions: after.sessions.length });
  }
  return stepOf(actions);
}

function showRootAction(
  action: RootAction,
  showTerminalInfo: (info: TerminalInfo) => object,
): WireAction | undefined {
  const { type } = action;
  switch (type) {
    case "root/agentsChanged":
      return { type, agents: showAgents(action.agents) };
    case "root/terminalsChanged":
      return { type, terminals: action.terminals.map(showTerminalInfo) };
    case "root/configChanged":
      return { type, config: action.config, replace: action.replace };
    default:
      return undefined;
  }
}

interface WireAgent {
  readonly provider: string;
  readonly displayName: string;
  readonly description: string;
  readonly models: readonly WireModel[];
}

interface WireModel {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly maxContextWindow?: number;
  readonly supportsVision?: boolean;
}

/** Editors offer no agent that has no models, and those of most agents are known after their first session (E800). */
const defaultModel = { id: DEFAULT_MODEL_ID, name: "Default" };

/** The agents of the catalogue that a session can be made with: AHP has no word for the others. */
function showAgents(agents: readonly AgentInfo[]): readonly WireAgent[] {
  return agents
    .filter(({ launch, installation }) => launch === "acp" && installation.status === "installed")
    .map(({ provider, displayName, description, models }) => ({
      provider,
      displayName,
      description,
      models: (models.length === 0 ? [defaultModel] : models).map((model) => ({ ...model, provider })),
    }));
}
