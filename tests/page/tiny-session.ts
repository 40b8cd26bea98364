// A session with a given transcript on the small host of a page.
import {
  type ActiveTurn,
  defaultChatUri,
  makeId,
  newChatState,
  newRootState,
  newSessionState,
  type ResponsePart,
  ROOT_URI,
  type SessionState,
  type SessionUri,
  sessionUri,
  summarizeChat,
  summarizeSession,
  type ToolCall,
  type Turn,
} from "@holdfast/ahp";
import type { TinyPage } from "./tiny-page.ts";

const at = "2026-01-01T00:00:00.000Z";

export interface TinySession {
  readonly turns?: readonly Turn[];
  readonly activeTurn?: ActiveTurn;
  readonly changes?: Partial<SessionState>;
}

/** Opens it as the only session of the host; gives its URI. */
export function openTinySession(
  { host }: TinyPage,
  { turns = [], activeTurn, changes }: TinySession,
): SessionUri {
  const uri = sessionUri(makeId("session", "old"));
  const resource = defaultChatUri(uri);
  const chat = { ...newChatState({ resource, title: "Old", at }), turns, ...(activeTurn && { activeTurn }) };
  const session: SessionState = {
    ...newSessionState({
      resource: uri,
      key: makeId("session key", "agent:shell:acp:old"),
      provider: makeId("agent", "shell"),
      owner: { kind: "person" },
      title: "Old",
      at,
      workingDirectories: ["file:///tmp"],
    }),
    lifecycle: { status: "ready" },
    chats: [summarizeChat(chat)],
    defaultChat: resource,
    ...changes,
  };
  host.open(ROOT_URI, "root", { ...newRootState(), sessions: [summarizeSession(session)] });
  host.open(uri, "session", session);
  host.open(resource, "chat", chat);
  return uri;
}

/** A finished turn. */
export function tinyTurn(text: string, responseParts: readonly ResponsePart[]): Turn {
  return {
    id: makeId("turn", text),
    startedAt: at,
    endedAt: at,
    durationMs: 1000,
    message: { text, origin: { kind: "user" } },
    responseParts,
    plans: [],
    end: { state: "complete", stopReason: "end_turn" },
  };
}

/** What every call of a command has. */
export const tinyCall = {
  toolName: "shell",
  toolKind: "execute",
  locations: [],
  contributor: { kind: "agent" },
  decisions: [],
  content: [],
} as const satisfies Partial<ToolCall>;
