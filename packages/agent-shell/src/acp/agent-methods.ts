// What this agent answers. Params are `unknown`: each handler reads what it needs and refuses the rest.
import type { ConfigOption, ModeState } from "./session-settings.ts";

/** What `initialize` answers. */
export interface InitializeResult {
  protocolVersion: 1;
  agentInfo: { name: string; title: string; version: string };
  agentCapabilities: {
    loadSession: boolean;
    promptCapabilities: { image: boolean; audio: boolean; embeddedContext: boolean };
    sessionCapabilities: { list: object; resume: object; close: object };
    _meta: object;
  };
  authMethods: never[];
}

/** What a client learns of a session when it opens it. */
export interface SessionSettings {
  modes: ModeState;
  configOptions: ConfigOption[];
}

/** A session in a list. */
export interface SessionInfo {
  sessionId: string;
  cwd: string;
  updatedAt: string;
  title?: string;
}

/** Why a turn ended. */
export interface PromptResult {
  stopReason: "end_turn" | "cancelled";
}

interface Call<Result> {
  params: unknown;
  result: Result;
}

/** The agent's side of ACP v1. */
export type AgentMethods = {
  requests: {
    initialize: Call<InitializeResult>;
    "session/new": Call<SessionSettings & { sessionId: string }>;
    "session/load": Call<SessionSettings>;
    "session/resume": Call<SessionSettings>;
    "session/list": Call<{ sessions: SessionInfo[]; nextCursor?: string }>;
    "session/close": Call<object>;
    "session/set_mode": Call<object>;
    "session/set_config_option": Call<{ configOptions: ConfigOption[] }>;
    "session/prompt": Call<PromptResult>;
  };
  notifications: { "session/cancel": unknown };
};
