// A sentence for a client whose decision came second: what was decided, and by whom.
import {
  type ActiveClient,
  type Actor,
  type ApprovalDecision,
  type ChatState,
  type ChatUri,
  defaultChatUri,
  ROOT_URI,
  type ToolCall,
} from "@holdfast/ahp";
import type { HostConnection } from "../host/host-connection.ts";

/** The sentence for an approval that somebody else decided; undefined where nobody did. */
export function otherDecision(
  host: HostConnection,
  chatUri: ChatUri,
  approvalId: string,
): string | undefined {
  const chat = host.channel(chatUri, "chat").view();
  const decision = chat.status === "live" ? findDecision(chat.state, approvalId) : undefined;
  return decision === undefined ? undefined : decisionWords(decision, clientsOf(host, chatUri));
}

/** Who looks at the session of a chat, as far as this page follows it. */
function clientsOf(host: HostConnection, chatUri: ChatUri): readonly ActiveClient[] {
  const root = host.channel(ROOT_URI, "root").view();
  const sessions = root.status === "live" ? root.state.sessions : [];
  const found = sessions.find(({ resource }) => defaultChatUri(resource) === chatUri);
  const session = found === undefined ? undefined : host.channel(found.resource, "session").view();
  return session?.status === "live" ? session.state.activeClients : [];
}

/** The decision on an approval, where the chat has one. */
function findDecision(chat: ChatState, approvalId: string): ApprovalDecision | undefined {
  const turns = chat.activeTurn === undefined ? chat.turns : [...chat.turns, chat.activeTurn];
  // The newest first: it is hardly ever an old one.
  for (const { responseParts } of turns.toReversed()) {
    for (const part of responseParts) {
      const found = part.kind === "toolCall" ? decisionOf(part.toolCall, approvalId) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function decisionOf({ decisions }: ToolCall, approvalId: string): ApprovalDecision | undefined {
  return decisions.find((decision) => decision.approvalId === approvalId);
}

const outcomes = { approved: "allowed", denied: "denied", cancelled: "cancelled" } as const;

export function decisionWords(
  { outcome, by }: Pick<ApprovalDecision, "outcome" | "by">,
  clients: readonly Pick<ActiveClient, "clientId" | "displayName">[],
): string {
  if (by.kind === "expiry") {
    return "Nobody decided in time, so the request was denied. Your answer came too late.";
  }
  return `Already ${outcomes[outcome]} ${actorWords(by, clients)}. Your answer came second and had no effect.`;
}

function actorWords(
  by: Exclude<Actor, { readonly kind: "expiry" }>,
  clients: readonly Pick<ActiveClient, "clientId" | "displayName">[],
): string {
  switch (by.kind) {
    case "client": {
      const name = clients.find(({ clientId }) => clientId === by.clientId)?.displayName;
      return name === undefined ? "by another client" : `in another window (${name})`;
    }
    case "app":
      return `by the app ${by.appId}`;
    case "policy":
      return `by the policy ${by.policy}`;
    case "host":
      return "by the host";
  }
}
