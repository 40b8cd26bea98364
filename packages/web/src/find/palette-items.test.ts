// Entries of the palette before anything is typed.
import {
  type AgentInfo,
  makeId,
  newRootState,
  newSessionState,
  type SessionSummary,
  sessionUri,
  summarizeSession,
} from "@holdfast/ahp";
import { expect, it } from "vitest";
import { paletteItems, rankItems } from "./palette-items.ts";

function session(index: number, isAsking = false): SessionSummary {
  const id = String(index).padStart(2, "0");
  const state = newSessionState({
    resource: sessionUri(makeId("session", id)),
    key: makeId("session key", `agent:shell:acp:${id}`),
    provider: makeId("agent", "shell"),
    owner: { kind: "person" },
    title: `Session ${id}`,
    at: `2026-01-01T00:00:${id}.000Z`,
    workingDirectories: ["file:///tmp"],
  });
  const summary = summarizeSession({ ...state, lifecycle: { status: "ready" } });
  return { ...summary, inputNeededCount: isAsking ? 1 : 0 };
}

function agent(name: string, installation: AgentInfo["installation"]): AgentInfo {
  return {
    provider: makeId("agent", name.toLowerCase()),
    displayName: name,
    description: "",
    handles: [],
    installation,
    launch: "acp",
    forwardableProviders: [],
    models: [],
  };
}

const root = {
  ...newRootState(),
  sessions: Array.from({ length: 60 }, (_, index) => session(index, index === 3)),
  agents: [
    agent("Shell", { status: "installed", authReady: true }),
    agent("Codex", { status: "not-installed" }),
  ],
};
const items = paletteItems(root, { inbox: () => undefined }, () => undefined);

it("[Z894] begin with a few sessions, those that need somebody first, and then the actions", () => {
  const labels = rankItems(items, "").map(({ item }) => item.label);
  expect(labels.slice(0, 3)).toEqual(["Session 03", "Session 59", "Session 58"]);
  expect(labels.slice(7)).toEqual(["Inbox", "New session with Shell"]);
});

it("[Z894] offer no agent that is not installed, and find every session", () => {
  expect(rankItems(items, "codex").map(({ item }) => item.kind)).toEqual(["search"]);
  expect(rankItems(items, "session 07")[0]?.item.label).toBe("Session 07");
});

it("[Z985] have the actions of the view before those of the page, found by further words, too", () => {
  const rename = { label: "Rename", detail: "This session", run: () => undefined };
  const theme = { theme: () => undefined };
  const all = paletteItems(newRootState(), theme, () => undefined, [rename]);
  expect(rankItems(all, "").map(({ item }) => item.label)).toEqual(["Rename", "Change the theme"]);
  expect(rankItems(all, "dark")[0]?.item.label).toBe("Change the theme");
  expect(rankItems(all, "rena")[0]?.item.run).toBe(rename.run);
});
