// Terminals in the seed.
import type { TerminalInfo } from "../../model/terminal/terminal.ts";
import { exitNumberOf, type TerminalStyle } from "../ahp/terminal.ts";
import { showTerminalInfo, type WireTerminalInfo } from "../ahp/terminal-state.ts";
import { showSeedUri } from "./uri.ts";

/** In the seed a terminal without an exit code still runs, so every end needs a number. */
export const seedTerminalStyle: TerminalStyle = {
  hasIsPty: false,
  hasChatInClaim: false,
  exit: "exitCode",
  exitCode: exitNumberOf,
};

export function showSeedTerminalInfo(info: TerminalInfo): WireTerminalInfo {
  const shown = showTerminalInfo(info, seedTerminalStyle);
  return { ...shown, resource: showSeedUri(info.resource) };
}
