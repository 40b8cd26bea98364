// Sessions with many messages in a host that has nothing else.
import {
  defaultChatUri,
  makeId,
  newChatState,
  newRootState,
  newSessionState,
  ROOT_URI,
  sessionUri,
  summarizeChat,
  summarizeSession,
  type SessionState,
  type SessionUri,
  type Turn,
} from "@holdfast/ahp";
import type { TinyHost } from "../../packages/ahp/src/testing/tiny-host.ts";

const at = "2026-01-01T00:00:00.000Z";

/** Opens sessions by their titles, each with so many turns of two messages; gives their URIs. */
export function openLongSessions(host: TinyHost, turnCounts: Readonly<Record<string, number>>): SessionUri[] {
  const sessions = Object.entries(turnCounts).map(([title, count]) => openLongSession(host, title, count));
  host.open(ROOT_URI, "root", { ...newRootState(), sessions: sessions.map(summarizeSession) });
  return sessions.map(({ resource }) => resource);
}

function openLongSession(host: TinyHost, title: string, turnCount: number): SessionState {
  const name = title.toLowerCase();
  const uri = sessionUri(makeId("session", name));
  const resource = defaultChatUri(uri);
  const turns = Array.from({ length: turnCount }, (_, index) => turn(index));
  const chat = { ...newChatState({ resource, title, at }), turns };
  const state = {
    ...newSessionState({
      resource: uri,
      key: makeId("session key", `agent:shell:acp:${name}`),
      provider: makeId("agent", "shell"),
      owner: { kind: "person" },
      title,
      at,
      workingDirectories: ["file:///tmp"],
    }),
    lifecycle: { status: "ready" } as const,
    chats: [summarizeChat(chat)],
    defaultChat: resource,
  };
  host.open(uri, "session", state);
  host.open(resource, "chat", chat);
  return state;
}

function turn(index: number): Turn {
  return {
    id: makeId("turn", `turn-${index}`),
    startedAt: at,
    endedAt: at,
    durationMs: 1000,
    message: { text: `Question ${index}`, origin: { kind: "user" } },
    responseParts: [
      {
        kind: "markdown",
        id: makeId("part", `part-${index}`),
        content: `Answer **${index}**\n\n${"A sentence of some length. ".repeat(1 + (index % 7))}`,
      },
    ],
    plans: [],
    end: { state: "complete", stopReason: "end_turn" },
  };
}
