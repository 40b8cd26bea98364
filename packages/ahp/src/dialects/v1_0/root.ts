// How AHP 1.0 writes the lists of the root.
import type { SessionSummary } from "../../model/session/session-summary.ts";
import { summaryMeta } from "../ahp/meta.ts";
import type { RootStyle } from "../ahp/root.ts";
import { sessionStatus } from "../ahp/status.ts";
import { showTerminalInfo } from "./terminal.ts";
import type { WireSessionSummary, WireTerminalInfo } from "./wire.ts";

/** How 1.0 writes the root. */
export const rootStyle: RootStyle<WireSessionSummary, WireTerminalInfo> = { showSummary, showTerminalInfo };

function showSummary(summary: SessionSummary): WireSessionSummary {
  const { resource, provider, title, activity, createdAt, lastActivityAt, workingDirectories, phase } =
    summary;
  return {
    resource,
    provider,
    title,
    status: sessionStatus(phase, summary),
    activity,
    workingDirectories,
    createdAt,
    modifiedAt: lastActivityAt,
    _meta: summaryMeta(summary),
  };
}
