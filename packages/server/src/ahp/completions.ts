// Completes what a person writes to an agent: its slash commands, and files in the session's folder.
import type { AvailableCommand } from "@holdfast/ahp";
import type { AhpRequests } from "@holdfast/ahp/dialects";
import { HostError } from "@holdfast/protocol";
import type { ClientSubscriptions } from "./client-subscriptions.ts";
import type { HandlerDeps } from "./handlers.ts";

/** Characters after which clients ask for completions. */
export const COMPLETION_TRIGGERS = ["/", "@"] as const;

interface CompletionItem {
  readonly insertText: string;
  readonly rangeStart: number;
  readonly rangeEnd: number;
  readonly attachment: object;
}

/** The completions at a place in a message; the channel is the session or its chat. */
export async function complete(
  { channels, port: { files, hub } }: HandlerDeps,
  { dialect }: ClientSubscriptions,
  { channel, text, offset }: AhpRequests["completions"],
): Promise<{ items: CompletionItem[] }> {
  const found = channels.findNow(dialect, channel);
  if (found === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
  const written = text.slice(0, offset);
  const command = /^\/(\S*)$/.exec(written)?.[1];
  if (command !== undefined) {
    const state = hub.state(found.uri, "session") ?? sessionOfChat(hub, found.uri);
    return { items: completeCommand(state?.commands ?? [], command, offset) };
  }
  const path = /(?:^|\s)@(\S*)$/.exec(written)?.[1];
  if (path === undefined) return { items: [] };
  const completed = await files.complete(found.uri, path);
  return {
    items: completed.map(({ path: whole, uri }) => ({
      insertText: `@${whole}`,
      rangeStart: offset - path.length - 1,
      rangeEnd: offset,
      attachment: { type: "resource", label: whole, uri },
    })),
  };
}

function completeCommand(
  commands: readonly AvailableCommand[],
  start: string,
  offset: number,
): CompletionItem[] {
  return commands
    .filter(({ name }) => name.startsWith(start))
    .map(({ name, description, inputHint }) => ({
      insertText: `/${name}${inputHint === undefined ? "" : " "}`,
      rangeStart: 0,
      rangeEnd: offset,
      attachment: { type: "simple", label: `/${name}: ${description}` },
    }));
}

function sessionOfChat(
  hub: HandlerDeps["port"]["hub"],
  chat: string,
): { readonly commands: readonly AvailableCommand[] } | undefined {
  return hub.list("session").find(({ state }) => state.chats.some(({ resource }) => resource === chat))
    ?.state;
}
