// The settings of a session in the shapes of ACP v1: modes and config options.

/** Whether the agent asks before it acts. */
export type Mode = "ask" | "trust";

/** Whether a command's output is repeated as message text. */
export type OutputSetting = "tail" | "none";

/** The modes of a session and the current one. */
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
