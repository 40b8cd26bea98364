// Orders sessions by how much they need a person.
import type { SessionSummary } from "@holdfast/ahp";
import { folderName, pathOf } from "./session-words.ts";

/** How a session stands, from what needs a person most to what is out of the way. */
type Attention = "needs-you" | "failed" | "working" | "unread" | "idle" | "archived";

interface AttentionGroup {
  readonly heading: string;
  readonly sessions: readonly SessionSummary[];
}

const headings: Readonly<Record<Attention, string>> = {
  "needs-you": "Needs you",
  failed: "Failed",
  working: "Running",
  unread: "Unread",
  idle: "Idle",
  archived: "Archived",
};

const order = Object.keys(headings) as readonly Attention[];

/** How much a session needs a person. */
function attentionOf({ phase, inputNeededCount, isArchived, isRead }: SessionSummary): Attention {
  if (inputNeededCount > 0) return "needs-you";
  if (phase.status === "busy") {
    return phase.waitingFor === "permission" || phase.waitingFor === "input" ? "needs-you" : "working";
  }
  if (isArchived) return "archived";
  if (phase.status === "failed") return "failed";
  if (phase.status === "creating" || phase.status === "resuming") return "working";
  return isRead ? "idle" : "unread";
}

/** The sessions that fit a search, in groups by what needs attention, the newest activity first in each. */
export function groupByAttention(sessions: readonly SessionSummary[], search = ""): AttentionGroup[] {
  const found = sessions.filter((session) => fits(session, search));
  return order.flatMap((attention) => {
    const group = found
      .filter((session) => attentionOf(session) === attention)
      .toSorted((one, other) => other.lastActivityAt.localeCompare(one.lastActivityAt));
    return group.length === 0 ? [] : [{ heading: headings[attention], sessions: group }];
  });
}

/** The sessions of one folder. */
export interface ProjectGroup {
  readonly folder: string;
  /** The last part of the folder's path. */
  readonly name: string;
  /** Those that need someone, run, failed or have finished since they were looked at, in this order. */
  readonly current: readonly SessionSummary[];
  readonly idle: readonly SessionSummary[];
}

/** The sessions by their folders: those first whose sessions need most, then the last used ones. Archived sessions are left out. */
export function groupByProject(sessions: readonly SessionSummary[]): ProjectGroup[] {
  const shown = sessions
    .filter((session) => attentionOf(session) !== "archived")
    .toSorted(
      (one, other) =>
        order.indexOf(attentionOf(one)) - order.indexOf(attentionOf(other)) ||
        other.lastActivityAt.localeCompare(one.lastActivityAt),
    );
  const folders = new Set(shown.map(({ workingDirectories }) => pathOf(workingDirectories[0])));
  return [...folders].map((folder) => {
    const inFolder = shown.filter(({ workingDirectories }) => pathOf(workingDirectories[0]) === folder);
    return {
      folder,
      name: folderName(folder),
      current: inFolder.filter((session) => attentionOf(session) !== "idle"),
      idle: inFolder.filter((session) => attentionOf(session) === "idle"),
    };
  });
}

/** The sessions of a project that are listed at first; a button for one more would take the place of its row (Z931). */
export function firstOfProject({ current, idle }: ProjectGroup, max: number): readonly SessionSummary[] {
  const all = [...current, ...idle];
  const first = (current.length === 0 ? all : current).slice(0, max);
  return all.length - first.length <= 1 ? all : first;
}

/** Whether every word of a search is in a session's name, agent or folders. */
function fits({ title, label, provider, workingDirectories }: SessionSummary, search: string): boolean {
  const text = [title, label, provider, ...workingDirectories.map(pathOf)].join("\n").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
