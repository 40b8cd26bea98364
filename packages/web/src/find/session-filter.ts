// Filters of the list of sessions: by project, agent and state.
import type { SessionSummary } from "@holdfast/ahp";
import { pathOf } from "../session/session-words.ts";

export interface Project {
  readonly path: string;
  /** The last part of the path, longer where two have the same. */
  readonly name: string;
}

export interface SessionFilter {
  readonly project: string;
  readonly agent: string;
  readonly state: "" | SessionFilterState;
}

export type SessionFilterState = "needs-you" | "running" | "unread" | "idle" | "archived";

export const noFilter: SessionFilter = { project: "", agent: "", state: "" };

/** The folders of sessions, by name. */
export function projectsOf(sessions: readonly SessionSummary[]): Project[] {
  const paths = [...new Set(sessions.map(projectOf))].filter((path) => path !== "");
  return paths
    .map((path) => ({ path, name: shortName(path, paths) }))
    .toSorted((one, other) => one.name.localeCompare(other.name, "en"));
}

function projectOf({ workingDirectories }: SessionSummary): string {
  return pathOf(workingDirectories[0]);
}

function shortName(path: string, paths: readonly string[]): string {
  const parts = path.split("/").filter((part) => part !== "");
  for (let count = 1; count < parts.length; count += 1) {
    const name = parts.slice(-count).join("/");
    if (paths.every((other) => other === path || !`/${other}`.endsWith(`/${name}`))) return name;
  }
  return path;
}

export function isFiltering({ project, agent, state }: SessionFilter): boolean {
  return project !== "" || agent !== "" || state !== "";
}

/** Whether a session is among those that a filter leaves. */
export function passes(session: SessionSummary, { project, agent, state }: SessionFilter): boolean {
  if (project !== "" && projectOf(session) !== project) return false;
  if (agent !== "" && session.provider !== agent) return false;
  return state === "" || stateOf(session) === state;
}

function stateOf({ phase, inputNeededCount, isArchived, isRead }: SessionSummary): SessionFilterState {
  if (inputNeededCount > 0) return "needs-you";
  if (phase.status === "busy" || phase.status === "creating" || phase.status === "resuming") return "running";
  if (isArchived) return "archived";
  return isRead ? "idle" : "unread";
}
