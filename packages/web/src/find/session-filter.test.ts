// Filters of the list of sessions.
import { makeId, newSessionState, sessionUri, summarizeSession, type SessionSummary } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { noFilter, passes, projectsOf } from "./session-filter.ts";

function session(name: string, folder: string, provider = "shell"): SessionSummary {
  const state = newSessionState({
    resource: sessionUri(makeId("session", name)),
    key: makeId("session key", `agent:${provider}:acp:${name}`),
    provider: makeId("agent", provider),
    owner: { kind: "person" },
    title: name,
    at: "2026-01-01T00:00:00.000Z",
    workingDirectories: [`file://${folder}`],
  });
  return summarizeSession({ ...state, lifecycle: { status: "ready" } });
}

const sessions = [
  session("a", "/home/ann/garden"),
  session("b", "/home/ann/work/api", "codex"),
  session("c", "/home/ann/play/api"),
  { ...session("d", "/home/ann/garden"), isArchived: true },
  { ...session("e", "/home/ann/garden"), inputNeededCount: 1 },
];

it("[Z854] names projects by their folders, longer where two would have the same name", () => {
  expect(projectsOf(sessions).map(({ name }) => name)).toEqual(["garden", "play/api", "work/api"]);
});

it("[Z854] leaves the sessions of a project, an agent and a state", () => {
  const left = (filter: object): string[] =>
    sessions.filter((each) => passes(each, { ...noFilter, ...filter })).map(({ title }) => title);
  expect(left({})).toEqual(["a", "b", "c", "d", "e"]);
  expect(left({ project: "/home/ann/garden" })).toEqual(["a", "d", "e"]);
  expect(left({ agent: "codex" })).toEqual(["b"]);
  expect(left({ state: "archived" })).toEqual(["d"]);
  expect(left({ project: "/home/ann/garden", state: "needs-you" })).toEqual(["e"]);
});
