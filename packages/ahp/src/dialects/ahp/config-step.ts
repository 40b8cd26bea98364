// How AHP is told that settings of a session have other values.
import type { SessionState } from "../../model/session/session.ts";
import { showConfig } from "./config.ts";
import type { WireAction } from "./wire-step.ts";

/** AHP tells new values but no new settings: a client sees those with its next snapshot (E15). */
export function configActions(before: SessionState, after: SessionState): readonly WireAction[] {
  if (before.configOptions === after.configOptions && before.modes === after.modes) return [];
  const from = showConfig(before)?.values;
  const to = showConfig(after)?.values;
  if (!to || JSON.stringify(from) === JSON.stringify(to)) return [];
  return [{ type: "session/configChanged", config: to, replace: true }];
}
