// A session as the app API describes it.
import { type ConfigOption, type SessionState, asksBeforeActing } from "@holdfast/ahp";
import type { SessionStatus } from "@holdfast/protocol";
import { findModelOption } from "../agent/known-models.ts";

const appStates = {
  creating: "initializing",
  resuming: "ready",
  ready: "ready",
  stale: "stale",
  failed: "closed",
  closed: "closed",
} as const;

/** The status of a session, open or over. */
export function describeSession(state: SessionState): SessionStatus {
  const { key, resource, provider, lifecycle, backendId, createdAt, runtimeOptions } = state;
  const { lastActivityAt, lastError, label, title, activity, isolation, modes, configOptions, changes } =
    state;
  const model = findModelOption(configOptions)?.currentValue;
  const mode = findModeOption(configOptions)?.currentValue ?? modes?.currentModeId;
  return {
    session_key: key,
    uri: resource,
    agent_id: provider,
    state: appStates[lifecycle.status],
    backend_id: backendId ?? "",
    created_at: createdAt,
    runtime_options: {
      ...runtimeOptions,
      ...(runtimeOptions.extras !== undefined && { extras: { ...runtimeOptions.extras } }),
    },
    last_activity_at: lastActivityAt,
    ...(lastError !== undefined && { last_error: lastError.message }),
    ...(label !== undefined && { label }),
    ...(title !== "" && { title }),
    ...(activity !== undefined && { activity }),
    ...(isolation !== undefined && { isolation }),
    ...(model !== undefined && { current_model: model }),
    ...(mode !== undefined && { current_mode: String(mode) }),
    ...(changes !== undefined && { changes }),
    ...(!asksBeforeActing(state) && { asks: false }),
  };
}

/** The status with what the agent offers, in ACP's shapes (A280); a list would be too long with it. */
export function describeSessionInFull(state: SessionState): SessionStatus {
  const { modes, configOptions, limits } = state;
  return {
    ...describeSession(state),
    ...(modes !== undefined && {
      modes: { currentModeId: modes.currentModeId, availableModes: [...modes.available] },
    }),
    config_options: configOptions.map(describeOption),
    ...(limits !== undefined && { limits: [...limits] }),
  };
}

function findModeOption(options: readonly ConfigOption[]): ConfigOption | undefined {
  return options.find(({ category }) => category === "mode");
}

function describeOption(option: ConfigOption): NonNullable<SessionStatus["config_options"]>[number] {
  if (option.type === "boolean") return option;
  const { choices, ...others } = option;
  return { ...others, options: [...choices] };
}
