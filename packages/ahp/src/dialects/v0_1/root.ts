// How the seed writes the lists of the root.
import type { SessionSummary } from "../../model/session/session-summary.ts";
import type { RootStyle } from "../ahp/root.ts";
import { sessionStatus } from "../ahp/status.ts";
import { showSeedTerminalInfo } from "./terminal.ts";
import type { SeedSessionSummary, SeedTerminalInfo } from "./wire.ts";

/** How the seed writes the root. */
export const seedRootStyle: RootStyle<SeedSessionSummary, SeedTerminalInfo> = {
  showSummary: showSeedSummary,
  showTerminalInfo: showSeedTerminalInfo,
};

function showSeedSummary(summary: SessionSummary): SeedSessionSummary {
  const { resource, provider, title, activity, createdAt, lastActivityAt, workingDirectories, phase } =
    summary;
  return {
    resource,
    provider,
    title,
    status: sessionStatus(phase, summary),
    activity,
    createdAt: Date.parse(createdAt),
    modifiedAt: Date.parse(lastActivityAt),
    workingDirectory: workingDirectories[0],
  };
}
