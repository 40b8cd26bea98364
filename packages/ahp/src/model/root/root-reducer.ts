// The reducer of the root channel.
import { applyChanges, ignoreUnknown, patch, update, upsert, without } from "../immutable.ts";
import type { SessionSummary } from "../session/session-summary.ts";
import type { RootAction } from "./root-actions.ts";
import type { RootState } from "./root.ts";

/** The root after an action; the same object when the action does not fit it (M2). */
export function reduceRoot(root: RootState, action: RootAction): RootState {
  switch (action.type) {
    case "root/agentsChanged":
      return patch(root, { agents: action.agents });
    case "root/sessionAdded":
      return {
        ...root,
        sessions: upsert(
          root.sessions,
          action.summary,
          (session) => session.resource === action.summary.resource,
        ),
      };
    case "root/sessionSummaryChanged": {
      const change = (session: SessionSummary): SessionSummary => applyChanges(session, action.changes);
      return patch(root, {
        sessions: update(root.sessions, (session) => session.resource === action.session, change),
      });
    }
    case "root/sessionRemoved":
      return patch(root, {
        sessions: without(root.sessions, (session) => session.resource === action.session),
      });
    case "root/terminalsChanged":
      return patch(root, { terminals: action.terminals });
    case "root/configChanged": {
      if (!root.config) return root;
      const values = action.replace ? action.config : { ...root.config.values, ...action.config };
      return { ...root, config: { ...root.config, values } };
    }
    default:
      return ignoreUnknown(root, action);
  }
}
