// Methods of this agent. Params are `unknown`: each handler reads what it needs and refuses the rest.

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

/** Settings that a client receives when it opens a session. */
export interface SessionSettings {
  modes: ModeState;
  configOptions: ConfigOption[];
}

export interface SessionInfo {
  sessionId: string;
  cwd: string;
  updatedAt: string;
  title?: string;
}

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

export type Mode = "ask" | "trust";

/** Whether a command's output is repeated as message text. */
export type OutputSetting = "tail" | "none";

export interface ModeState {
  currentModeId: Mode;
  availableModes: { id: Mode; name: string; description: string }[];
}

/** A setting with a few values to choose from. */
export interface ConfigOption {
  type: "select";
  id: string;
  name: string;
  description: string;
  currentValue: string;
  options: { value: string; name: string; description: string }[];
}
