// The order of sessions.
import { makeId, type SessionPhase, type SessionSummary } from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import { firstOfProject, groupByAttention, groupByProject } from "./attention.ts";

function session(title: string, phase: SessionPhase, more: Partial<SessionSummary> = {}): SessionSummary {
  return {
    resource: makeId("session URI", `ahp-session:/${title}`),
    key: makeId("session key", title),
    provider: makeId("agent", "shell"),
    owner: { kind: "person" },
    title,
    createdAt: "2026-01-01T00:00:00.000Z",
    lastActivityAt: "2026-01-01T00:00:00.000Z",
    isRead: true,
    isArchived: false,
    workingDirectories: ["file:///work/garden"],
    phase,
    inputNeededCount: 0,
    ...more,
  };
}

const ready: SessionPhase = { status: "ready" };
const busy = (waitingFor: "model" | "permission"): SessionPhase => ({
  status: "busy",
  chat: makeId("chat URI", "c"),
  turnId: makeId("turn", "t"),
  waitingFor,
});

function shown(sessions: readonly SessionSummary[], search = ""): (readonly [string, string[]])[] {
  return groupByAttention(sessions, search).map(({ heading, sessions: group }) => [
    heading,
    group.map(({ title }) => title),
  ]);
}

describe("[Z6] sessions", () => {
  it("[Z6] are listed by how much they need a person, the newest first in each group", () => {
    const sessions = [
      session("old", ready),
      session("new", ready, { lastActivityAt: "2026-01-02T00:00:00.000Z" }),
      session("away", ready, { isArchived: true }),
      session("unread", ready, { isRead: false }),
      session("works", busy("model")),
      session("asks", busy("permission")),
      session("asks too", ready, { inputNeededCount: 1, isArchived: true }),
      session("broken", { status: "failed", error: { code: "x", message: "y" } }),
    ];
    expect(shown(sessions)).toEqual([
      ["Needs you", ["asks", "asks too"]],
      ["Failed", ["broken"]],
      ["Running", ["works"]],
      ["Unread", ["unread"]],
      ["Idle", ["new", "old"]],
      ["Archived", ["away"]],
    ]);
  });

  it("[Z6] are found by every word of what is known of them", () => {
    const sessions = [session("Mow the lawn", ready), session("Paint", ready, { label: "fence" })];
    expect(shown(sessions, "garden MOW")).toEqual([["Idle", ["Mow the lawn"]]]);
    expect(shown(sessions, "fence")).toEqual([["Idle", ["Paint"]]]);
    expect(shown(sessions, "fence lawn")).toEqual([]);
    const elsewhere = session("Dig", ready, { workingDirectories: ["file:///work/old%20garden"] });
    expect(shown([elsewhere], "old garden")).toEqual([["Idle", ["Dig"]]]);
    expect(shown([elsewhere], "file:")).toEqual([]);
  });

  it("[Z810] are listed by folder, the folder with what needs most first, without archived ones", () => {
    const inRoof = { workingDirectories: ["file:///work/roof/"] };
    const groups = groupByProject([
      session("idle", ready),
      session("finished", ready, { isRead: false }),
      session("asks", busy("permission"), inRoof),
      session("quiet", ready, inRoof),
      session("put away", ready, { isArchived: true }),
    ]);
    const titles = (sessions: readonly SessionSummary[]): string[] => sessions.map(({ title }) => title);
    expect(groups.map(({ name, current, idle }) => [name, titles(current), titles(idle)])).toEqual([
      ["roof", ["asks"], ["quiet"]],
      ["garden", ["finished"], ["idle"]],
    ]);
  });
});

it("[Z931] a project lists its first sessions, and all of them where only one would be left", () => {
  const countOf = (currentCount: number, idleCount: number): number => {
    const sessions = Array.from({ length: currentCount + idleCount }, (_, index) =>
      session(`s${index}`, index < currentCount ? busy("model") : ready),
    );
    const [project] = groupByProject(sessions);
    return project === undefined ? 0 : firstOfProject(project, 6).length;
  };
  expect([countOf(2, 1), countOf(2, 2), countOf(0, 7), countOf(0, 8), countOf(8, 0)]).toEqual([
    3, 2, 7, 6, 6,
  ]);
});
