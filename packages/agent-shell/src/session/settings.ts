// The modes and the config option that every session has (S17).
import type { ConfigOption, Mode, ModeState, OutputSetting } from "../acp/session-settings.ts";

/** The modes, the careful one first. */
export const MODES: readonly Mode[] = ["ask", "trust"];

/** The id of the config option. */
export const OUTPUT_OPTION_ID = "output";

/** Its values. */
export const OUTPUT_SETTINGS: readonly OutputSetting[] = ["tail", "none"];

/** The modes as ACP lists them. */
export function listModes(currentModeId: Mode): ModeState {
  return {
    currentModeId,
    availableModes: [
      { id: "ask", name: "Ask", description: "Ask before each command and each written file" },
      { id: "trust", name: "Trust", description: "Never ask" },
    ],
  };
}

/** The config options as ACP lists them. */
export function listConfigOptions(currentValue: OutputSetting): ConfigOption[] {
  return [
    {
      type: "select",
      id: OUTPUT_OPTION_ID,
      name: "Output",
      description: "Whether what commands print is repeated as message text",
      currentValue,
      options: [
        { value: "tail", name: "Tail", description: "Repeat the last 32 KiB" },
        { value: "none", name: "None", description: "Say only how the command ended" },
      ],
    },
  ];
}
