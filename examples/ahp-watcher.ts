// Watches everything on a host over AHP: sessions, what agents say, what terminals show.
// Usage: node --import tsx examples/ahp-watcher.ts ws://127.0.0.1:4747/ahp TOKEN; Ctrl-C ends it.
import { randomUUID } from "node:crypto";
import { defaultChatUri, ROOT_URI, type RootState } from "@holdfast/ahp";
import { AhpClient, webSocketTransport } from "@holdfast/ahp/client";
import { WebSocket } from "ws";

const [address = "", token = ""] = process.argv.slice(2);

const client = new AhpClient({
  // The same after each loss: by it the host knows what was seen.
  clientId: `watcher-${randomUUID()}`,
  clientInfo: { name: "ahp-watcher" },
  open: () => webSocketTransport(new WebSocket(address, { headers: { authorization: `Bearer ${token}` } })),
});
client.listen((event) => {
  if (event.type === "status") console.error(`[${event.status.status}]`);
});
const { serverInfo, protocolVersion } = await client.connect();
console.error(`[${serverInfo?.name ?? "a host"} speaks ${protocolVersion}]`);

const followed = new Set<string>();

/** Follows each session and terminal once, from the state that it is in. */
function follow({ sessions, terminals }: RootState): void {
  for (const { resource, provider } of sessions) {
    if (isNew(resource)) followChat(provider, defaultChatUri(resource)).catch(console.error);
  }
  for (const { resource, title } of terminals) {
    if (isNew(resource)) followTerminal(title, resource).catch(console.error);
  }
}

function isNew(uri: string): boolean {
  return !followed.has(uri) && Boolean(followed.add(uri));
}

async function followChat(agent: string, uri: string): Promise<void> {
  console.log(`${agent}: a session`);
  await client.subscribe(uri, "chat", {
    onEvent(event) {
      if (event.type !== "action") return;
      const { action } = event;
      if (action.type === "chat/turnStarted") console.log(`${agent} is asked: ${action.message.text}`);
      if (action.type === "chat/toolCallReady") console.log(`${agent} wants to use a tool`);
      if (action.type === "chat/turnComplete") console.log(`${agent} is done: ${action.stopReason}`);
    },
  });
}

async function followTerminal(title: string, uri: string): Promise<void> {
  await client.subscribe(uri, "terminal", {
    onEvent(event) {
      if (event.type === "snapshot") {
        const text = (event.content ?? []).map(({ text: piece }) => piece).join("");
        if (text !== "") console.log(`${title} shows: ${text.trim()}`);
      }
      if (event.type !== "action") return;
      if (event.action.type === "terminal/data") console.log(`${title} shows: ${event.action.data.trim()}`);
      if (event.action.type === "terminal/exited") console.log(`${title} has ended`);
    },
  });
}

const root = await client.subscribe(ROOT_URI, "root", {
  onEvent: (event) => event.type !== "gone" && follow(event.state),
});
follow(root.state);
process.once("SIGINT", () => client.close());
