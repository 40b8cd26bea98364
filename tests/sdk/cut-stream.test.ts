// A real host's stream over a connection that breaks ten times.
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { Holdfast, HoldfastError, type AcpStreamEvent } from "@holdfast/sdk";
import { startCutProxy } from "./cut-proxy.ts";
import { startRealHost } from "../host/real-host.ts";

async function collect(events: AsyncIterable<AcpStreamEvent>): Promise<string[]> {
  const lines: string[] = [];
  for await (const event of events) lines.push(JSON.stringify(event));
  return lines;
}

async function servesEvents({ acpAgent }: Holdfast, key: string): Promise<boolean> {
  return collect(acpAgent.streamEvents(key)).then(
    () => true,
    (error: unknown) => {
      if (error instanceof HoldfastError && error.code === "NOT_FOUND") return false;
      throw error;
    },
  );
}

describe("[X14] a real host's stream", () => {
  it("[X14] cut ten times gives the same events as uncut, byte for byte", async (context) => {
    const host = await startRealHost({ environment: { HOLDFAST_SHELL_TEST_COMMANDS: "1" } });
    onTestFinished(() => host.close());
    const direct = new Holdfast({ baseUrl: host.url, apiKey: host.token });
    const wish = { agent_id: "shell", cwd: host.project, approvalPolicy: "approve-all" as const };
    const { session_key: key } = await direct.acpAgent.createSession(wish);
    context.skip(!(await servesEvents(direct, key)), "this host does not serve the events of a session");

    const places = fc.sample(fc.integer({ min: 2000, max: 6000 }), 10);
    const proxy = await startCutProxy(host.url, places);
    const cut = new Holdfast({
      baseUrl: proxy.url,
      apiKey: host.token,
      retry: { baseDelayMs: 1, maxDelayMs: 20 },
    });
    const stream = cut.acpAgent.streamChat(key, "/flood 2000 64");
    const events = await collect(stream);
    expect(proxy.cuts).toBe(10);
    const { turnId } = stream;
    expect(turnId).toBeDefined();
    expect(events).toEqual(await collect(direct.acpAgent.streamEvents(key, { turnId: turnId ?? "" })));
    expect(events.at(-1)).toBe(`{"type":"close","data":{"success":true}}`);
  });
});
