// Lent tools of an agent that outlives its host: its token, the names of its tools, and the calls that wait.
import { createHash } from "node:crypto";
import { type ClientId, defaultChatUri, makeId, ROOT_URI, type ToolCall, turnParts } from "@holdfast/ahp";
import { expect, test } from "vitest";
import type { LentToolResult, ToolLender } from "../editor/client-tools.ts";
import { until } from "../testing/agent-record.ts";
import { type Restarts, type RestartsOptions, useRestarts } from "../testing/restarts.ts";

const newRestarts = useRestarts();
const uri = makeId("session URI", "mine:/one");
const chat = defaultChatUri(uri);
const editor = makeId("client", "editor");
const key = "a-key-of-a-call-1";
const script = {
  capabilities: { mcpCapabilities: { http: true }, loadSession: true },
  prompts: { "*": [{ do: "hang" } as const] },
};

function by(clientId: ClientId): {
  actor: { kind: "client"; clientId: ClientId };
  origin: { clientId: ClientId; clientSeq: number };
} {
  return { actor: { kind: "client", clientId }, origin: { clientId, clientSeq: 1 } };
}

/** Hosts whose first one has a running turn, and an agent with a tool of the editor. */
async function startLending(
  approvalPolicy: "ask" | "approve-all",
  options: RestartsOptions = {},
): Promise<Restarts> {
  const restarts = newRestarts({ script, ...options });
  const host = await restarts.start();
  host.ahp.clientTools.serveAt("http://127.0.0.1:9");
  host.ahp.clientTools.connected(editor);
  await host.submit(
    ROOT_URI,
    {
      type: "root/createSession",
      name: { uri },
      options: { agent_id: "mine", cwd: restarts.work, approvalPolicy },
      activeClient: { clientId: editor, tools: [{ name: "openFile" }, { name: "search" }] },
      awaitsAgent: true,
    },
    by(editor),
  );
  const turn = { turnId: makeId("turn", "t1"), startedAt: new Date().toISOString() };
  const message = { text: "go", origin: { kind: "user" } } as const;
  await host.submit(chat, { type: "chat/turnStarted", ...turn, message }, by(editor));
  await until(() => restarts.heard.methods.includes("session/prompt"));
  return restarts;
}

/** A client is active in the session, which it has to say to each host. */
async function lend(restarts: Restarts, clientId: ClientId, ...names: string[]): Promise<void> {
  restarts.host.ahp.clientTools.connected(clientId);
  const client = { clientId, tools: names.map((name) => ({ name })) };
  await restarts.host.submit(uri, { type: "session/activeClientSet", client }, by(clientId));
}

function namesOf(restarts: Restarts): string[] {
  return toolsOf(restarts)
    .list()
    .map(({ name }) => name);
}

function tokenOf(restarts: Restarts): string {
  return (
    /"Bearer ([\w-]+)"/.exec(JSON.stringify(restarts.heard.messages))?.[1] ??
    expect.fail("The agent got no token")
  );
}

function toolsOf(restarts: Restarts): ToolLender {
  return restarts.host.ahp.clientTools.find(tokenOf(restarts))?.tools ?? expect.fail("The token is unknown");
}

function call(restarts: Restarts, signal = new AbortController().signal): Promise<LentToolResult> {
  return toolsOf(restarts).call("openFile", { path: "/a" }, { signal, key });
}

function calls(restarts: Restarts): ToolCall[] {
  const turn = restarts.host.hub.state(chat, "chat")?.activeTurn;
  if (turn === undefined) return [];
  return turnParts(turn).flatMap((part) => (part.kind === "toolCall" ? [part.toolCall] : []));
}

async function complete(restarts: Restarts): Promise<void> {
  const toolCallId = calls(restarts)[0]?.toolCallId ?? expect.fail("There is no call");
  const result = { success: true, pastTenseMessage: "Opened" } as const;
  const action = { type: "chat/toolCallComplete", turnId: makeId("turn", "t1"), toolCallId, result } as const;
  await restarts.host.submit(chat, action, by(editor));
}

test("[N823] an agent that outlives its host keeps its token, of which only the digest is stored", async () => {
  const restarts = await startLending("approve-all");
  const token = tokenOf(restarts);
  const [run] = restarts.storage.runs();
  const stored = JSON.stringify(run);
  expect(stored).toContain(createHash("sha256").update(token).digest("hex"));
  expect(stored).not.toContain(token);
  const next = await restarts.start();
  await lend(restarts, editor, "openFile");
  expect(namesOf(restarts)).toEqual(["openFile"]);
  expect(next.ahp.clientTools.find(`${token}x`)).toBeUndefined();
  // And the one after it.
  const last = await restarts.start();
  const access = last.ahp.clientTools.find(token);
  expect(access?.ended.aborted).toBe(false);
  await last.submit(uri, { type: "session/close" }, by(editor));
  expect(access?.ended.aborted).toBe(true);
  expect(last.ahp.clientTools.find(token)).toBeUndefined();
});

test("[N823] tools keep their names in the next host, and a call waits for its client to come back", async () => {
  const restarts = await startLending("approve-all");
  const other = makeId("client", "other");
  await lend(restarts, other, "close");
  expect(namesOf(restarts)).toEqual(["openFile", "search", "close"]);
  // The editor comes first in the session, but the name is the other client's.
  await lend(restarts, editor, "close", "openFile");
  expect(namesOf(restarts)).toEqual(["openFile", "close", "close_2"]);
  await restarts.start();
  expect(namesOf(restarts)).toEqual([]);
  const waiting = call(restarts);
  await lend(restarts, editor, "close", "openFile");
  expect(namesOf(restarts)).toEqual(["openFile", "close_2"]);
  await lend(restarts, other, "close");
  expect(namesOf(restarts)).toEqual(["openFile", "close", "close_2"]);
  await until(() => calls(restarts)[0]?.status === "running");
  await complete(restarts);
  expect(await waiting).toMatchObject({ result: { success: true } });
});

test("[N824] a call continues in the next host: its client answers once, and the agent that asks again gets the result", async () => {
  const restarts = await startLending("approve-all");
  void call(restarts);
  await until(() => calls(restarts)[0]?.status === "running");
  await restarts.start();
  const again = call(restarts);
  await lend(restarts, editor, "openFile");
  await complete(restarts);
  expect(await again).toMatchObject({ result: { success: true, pastTenseMessage: "Opened" } });
  // A request that comes after the end gets the same.
  await restarts.start();
  expect(await call(restarts)).toMatchObject({ result: { pastTenseMessage: "Opened" } });
  expect(calls(restarts)).toHaveLength(1);
});

test("[N824] the question about a call stays open, and is asked once", async () => {
  const restarts = await startLending("ask");
  void call(restarts);
  await until(() => calls(restarts)[0]?.status === "pending-confirmation");
  await restarts.start();
  const again = call(restarts);
  await lend(restarts, editor, "openFile");
  const [pending] = calls(restarts);
  if (pending?.status !== "pending-confirmation") expect.fail("No question");
  const { approval, toolCallId } = pending;
  const option = approval.options.find(({ kind }) => kind === "allow_once") ?? expect.fail("No option");
  const confirmed = {
    type: "chat/toolCallConfirmed",
    turnId: makeId("turn", "t1"),
    toolCallId,
    decision: {
      approvalId: approval.id,
      outcome: "approved",
      optionId: option.id,
      by: by(editor).actor,
      at: new Date().toISOString(),
    },
  } as const;
  await restarts.host.submit(chat, confirmed, by(editor));
  await until(() => calls(restarts)[0]?.status === "running");
  await complete(restarts);
  expect(await again).toMatchObject({ result: { success: true } });
  expect(calls(restarts)).toHaveLength(1);
});

test("[N824] a call that its agent does not ask for again is cancelled", async () => {
  const restarts = await startLending("approve-all", { timeouts: { awayToolClientMs: 1000 } });
  void call(restarts);
  await until(() => calls(restarts)[0]?.status === "running");
  await restarts.start();
  await lend(restarts, editor, "openFile");
  await until(() => calls(restarts)[0]?.status === "failed");
  expect(calls(restarts)[0]).toMatchObject({ result: { error: { code: "CLIENT_TOOL_CANCELLED" } } });
});

test("[N824] a key names one call: it starts nothing in a later turn", async () => {
  const restarts = await startLending("approve-all");
  const first = call(restarts);
  await until(() => calls(restarts)[0]?.status === "running");
  await complete(restarts);
  await first;
  await restarts.host.submit(chat, { type: "chat/cancel" }, by(editor));
  await until(() => restarts.host.hub.state(chat, "chat")?.activeTurn === undefined);
  expect(await call(restarts)).toMatchObject({ result: { error: { code: "CLIENT_TOOL_INTERRUPTED" } } });
});
