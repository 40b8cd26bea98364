// The client against a real host: everything that the API's reference promises.
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Holdfast, HoldfastError, type AcpSession, type AcpStreamEvent } from "@holdfast/sdk";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { makeRealtimexKey } from "../host/realtimex-key.ts";

let host: TestedHost;
let sdk: Holdfast;

beforeAll(async () => {
  host = await startHostInProcess();
  // No address: the client finds the host by its home. The key is that of the guide.
  vi.stubEnv("HOLDFAST_HOME", host.home);
  vi.stubEnv("RTX_API_KEY", await makeRealtimexKey(host));
  sdk = new Holdfast();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await host.close();
});

type Policy = "approve-all" | "approve-reads" | "deny-all";

function createSession(agent_id: string, approvalPolicy?: Policy): Promise<AcpSession> {
  return sdk.acpAgent.createSession({
    agent_id,
    cwd: host.project,
    ...(approvalPolicy && { approvalPolicy }),
  });
}

async function collect(events: AsyncIterable<AcpStreamEvent>): Promise<AcpStreamEvent[]> {
  const all: AcpStreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function textOf(events: readonly AcpStreamEvent[], stream: "output" | "thought" = "output"): string {
  return events
    .map((event) => (event.type === "text_delta" && event.data.stream === stream ? event.data.text : ""))
    .join("");
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("it worked"),
    (error: unknown) => error,
  );
}

describe("[X19] a real host", () => {
  it("[X19] lists its agents, with models when asked", async () => {
    const agents = await sdk.acpAgent.listAgents();
    const claude = agents.find(({ id }) => id === "claude-cli");
    expect(claude).toMatchObject({ label: "Claude Code", installed: true, version: "1.2.3" });
    expect(claude?.handles).toContain("claude");
    expect(claude).not.toHaveProperty("models");
    const [withModels] = await sdk.acpAgent.listAgents({ includeModels: true });
    expect(withModels?.models).toBeInstanceOf(Array);
    expect(agents.find(({ id }) => id === "qwen-cli")).toMatchObject({
      supportsProviderForwarding: true,
      forwardableProviders: expect.arrayContaining(["openai", "anthropic", "gemini", "realtimexai"]),
    });
  });

  it("[X19] creates a session that is ready, and runs turns in it that each give text and end in close", async () => {
    const session = await createSession("claude", "approve-all");
    expect(session).toMatchObject({ state: "ready", agent_id: "claude-cli" });
    expect(session.session_key).toMatch(/^agent:claude:acp:[0-9a-f-]{36}$/);
    for (const turn of [1, 2]) {
      const events = await collect(sdk.acpAgent.streamChat(session.session_key, "Explain this codebase"));
      expect(textOf(events)).toBe(`Turn ${turn} with claude-sonnet-4-20250514: Explain this codebase`);
      expect(textOf(events, "thought")).toBe("Let me think.");
      expect(events.slice(-2)).toMatchObject([
        { type: "done", data: { stopReason: "end_turn" } },
        { type: "close", data: { success: true } },
      ]);
    }
    expect(await sdk.acpAgent.chat(session.session_key, "What is 2+2?")).toEqual({
      text: "4",
      stop_reason: "end_turn",
    });
    await sdk.acpAgent.closeSession(session.session_key, "done");
    expect(await failureOf(sdk.acpAgent.getSession(session.session_key))).toMatchObject({
      code: "ACP_SESSION_NOT_FOUND",
      status: 404,
    });
  });

  it("[X19] asks for permission while a turn streams, and reports an answer that comes too late", async () => {
    const { session_key: key } = await createSession("claude", "approve-reads");
    const answers: unknown[] = [];
    const events: AcpStreamEvent[] = [];
    let requestId = "";
    for await (const event of sdk.acpAgent.streamChat(key, "Create hello.txt")) {
      events.push(event);
      if (event.type !== "permission_request") continue;
      ({ requestId } = event.data);
      expect(event.data.options.map(({ optionId }) => optionId)).toEqual(["allow_once", "reject_once"]);
      answers.push(await sdk.acpAgent.resolvePermission(key, { requestId, optionId: "allow_once" }));
    }
    expect(answers).toEqual([{ resolved: true }]);
    expect(textOf(events)).toBe("It is created.");
    expect(await sdk.acpAgent.resolvePermission(key, { requestId, optionId: "allow_once" })).toMatchObject({
      resolved: false,
      reason: expect.any(String),
    });
    await sdk.acpAgent.closeSession(key);
  });

  it("[X19] takes options between turns, lists sessions, and takes attachments", async () => {
    const { session_key: key } = await createSession("claude");
    expect(await failureOf(sdk.acpAgent.chat(key, "What is 2+2?"))).toMatchObject({
      code: "APPROVAL_POLICY_REQUIRED",
      status: 400,
    });
    await sdk.acpAgent.patchSession(key, { timeoutSeconds: 300, approvalPolicy: "approve-all" });
    const { runtime_options } = await sdk.acpAgent.getSession(key);
    expect(runtime_options).toMatchObject({ timeoutSeconds: 300, approvalPolicy: "approve-all" });
    expect((await sdk.acpAgent.listSessions()).map(({ session_key }) => session_key)).toContain(key);
    const image = {
      contentString: `data:image/png;base64,${Buffer.from("pixels").toString("base64")}`,
      mime: "image/png",
    };
    const events = await collect(sdk.acpAgent.streamChat(key, "What do you see in this image?", [image]));
    expect(textOf(events)).toBe("I see image/png of 6 bytes.");
    expect(await failureOf(sdk.acpAgent.patchSession(key, { timeoutSeconds: 0 }))).toMatchObject({
      code: "ACP_INVALID_OPTION",
    });
    await sdk.acpAgent.closeSession(key);
  });

  it("[X19] cancels a turn, which the stream reports", async () => {
    const { session_key: key } = await createSession("shell", "approve-all");
    const events: AcpStreamEvent[] = [];
    let isCancelled = false;
    for await (const event of sdk.acpAgent.streamChat(key, "sleep 60")) {
      events.push(event);
      if (isCancelled) continue;
      isCancelled = true;
      await sdk.acpAgent.cancelTurn(key, "user_cancelled");
    }
    expect(events.at(-2)).toMatchObject({ type: "done", data: { stopReason: "cancelled" } });
    await sdk.acpAgent.closeSession(key);
  });

  it("[X19] continues a turn whose reader has gone", async () => {
    const { session_key: key } = await createSession("shell", "approve-all");
    const message = "until [ -e go ]; do sleep 0.02; done; touch gone";
    for await (const event of sdk.acpAgent.streamChat(key, message)) {
      if (event.type === "tool_call") break;
    }
    writeFileSync(path.join(host.project, "go"), "");
    await expect.poll(() => existsSync(path.join(host.project, "gone")), { timeout: 10_000 }).toBe(true);
    await sdk.acpAgent.closeSession(key);
  });

  it("[X19] starts a chat in one call, with a model of its choice", async () => {
    const { session, response } = await sdk.acpAgent.startChat("Hello", {
      agent_id: "claude",
      model: "claude-sonnet-4-6",
      cwd: host.project,
      approvalPolicy: "approve-all",
    });
    expect(response.text).toBe("Turn 1 with claude-sonnet-4-6: Hello");
    await sdk.acpAgent.closeSession(session.session_key);
  });

  it("[X19] refuses what it must, with codes", async () => {
    const unknown = await failureOf(sdk.acpAgent.createSession({ agent_id: "nonexistent" }));
    expect(unknown).toBeInstanceOf(HoldfastError);
    expect(unknown).toMatchObject({
      code: "ACP_UNKNOWN_AGENT",
      status: 404,
      message: "No ACP provider found for agent 'nonexistent'.",
    });
    const stranger = new Holdfast({ baseUrl: host.url, apiKey: "wrong" });
    expect(await failureOf(stranger.acpAgent.listAgents())).toMatchObject({
      code: "UNAUTHORIZED",
      status: 401,
    });
    const owner = new Holdfast({ baseUrl: host.url, apiKey: host.token });
    expect(await owner.acpAgent.listAgents()).not.toEqual([]);
  });
});
