// Terminals: lists, text, bytes that survive a broken connection, and what is typed.
import { describe, expect, it } from "vitest";
import { Holdfast } from "./holdfast.ts";
import { answerJson, beginEvents, startTestServer, write, type TestServer } from "./testing/test-server.ts";

function terminalsOf({ url }: TestServer): Holdfast["terminals"] {
  return new Holdfast({ baseUrl: url, apiKey: "k", retry: { baseDelayMs: 1 } }).terminals;
}

const allBytes = Uint8Array.from({ length: 20_000 }, (_, index) => index % 256);

function outputFrame(start: number, end: number): string {
  const bytes = Buffer.from(allBytes.subarray(start, end)).toString("base64");
  return `id: ${end}\nevent: output\ndata: ${JSON.stringify({ offset: start, bytes })}\n\n`;
}

describe("[X17] terminals", () => {
  it("[X17] are listed, for all sessions or for one", async () => {
    const terminal = {
      id: "t/1",
      session_key: "s",
      title: "npm test",
      run: "text",
      lifecycle: { status: "running" },
      output: { endOffset: 3, skippedBytes: 0 },
    };
    const server = await startTestServer((_request, response) =>
      answerJson(response, { terminals: [terminal] }),
    );
    const terminals = terminalsOf(server);
    expect(await terminals.list()).toEqual([terminal]);
    await terminals.list({ sessionKey: "s" });
    expect(server.requests.slice(1).map(({ path, query }) => `${path}?${query.toString()}`)).toEqual([
      "/sdk/acp/terminals?",
      "/sdk/acp/terminals?session=s",
    ]);
  });

  it("[X17] give their text, up to a limit", async () => {
    const output = { text: "ok\n", truncated: true, endOffset: 3, lifecycle: { status: "running" } };
    const server = await startTestServer((_request, response) => answerJson(response, { output }));
    expect(await terminalsOf(server).output("t/1", { limitBytes: 3 })).toEqual(output);
    const { path, query } = server.requests.at(-1) ?? expect.fail();
    expect(`${path}?${query.toString()}`).toBe("/sdk/acp/terminals/t%2F1/output?limitBytes=3");
  });

  it("[X17] stream every byte once, from an offset on, over broken connections", async () => {
    const server = await startTestServer(async ({ query }, response) => {
      const start = Number(query.get("after"));
      beginEvents(response);
      if (start < allBytes.length) {
        await write(
          response,
          outputFrame(start, start + 5000) + outputFrame(start + 5000, start + 10_000).slice(0, 50),
        );
        response.destroy();
        return;
      }
      const exit = { exit: { kind: "code", exitCode: 0 }, endOffset: allBytes.length };
      response.end(
        `event: exited\ndata: ${JSON.stringify(exit)}\n\nevent: close\ndata: {"success":true}\n\n`,
      );
    });
    const stream = terminalsOf(server).stream("t1", { after: 5000 });
    const seen: number[] = [];
    const types = new Set<string>();
    for await (const event of stream) {
      types.add(event.type);
      if (event.type !== "output") continue;
      expect(event.data.offset).toBe(5000 + seen.length);
      seen.push(...event.data.bytes);
    }
    expect(Buffer.compare(Buffer.from(seen), allBytes.subarray(5000))).toBe(0);
    expect([...types]).toEqual(["output", "exited", "close"]);
    expect(server.requests.slice(1).map(({ headers }) => headers["last-event-id"])).toEqual([
      "5000",
      "10000",
      "15000",
      "20000",
    ]);
  });

  it("[X21] are made for a command, paced where they are followed so, and take input by its place", async () => {
    const terminal = { id: "t/1" };
    const server = await startTestServer(({ path }, response) => {
      if (!path.endsWith("/stream")) return answerJson(response, { terminal });
      beginEvents(response);
      response.end('event: close\ndata: {"success":true}\n\n');
      return undefined;
    });
    const terminals = terminalsOf(server);
    expect(await terminals.create({ command: "cat", kind: "text", input: true, paced: true })).toEqual(
      terminal,
    );
    await terminals.input("t/1", Uint8Array.of(255), { offset: 7, end: true });
    expect((await terminals.stream("t/1", { after: 3, paced: true }).next()).value?.type).toBe("close");
    expect(
      server.requests
        .slice(1)
        .map(({ method, path, query, body }) => [method, `${path}?${query.toString()}`, body]),
    ).toEqual([
      ["POST", "/sdk/acp/terminals?", '{"command":"cat","kind":"text","input":true,"paced":true}'],
      ["POST", "/sdk/acp/terminals/t%2F1/input?", '{"bytes":"/w==","offset":7,"end":true}'],
      ["GET", "/sdk/acp/terminals/t%2F1/stream?after=3&paced=true", ""],
    ]);
  });

  it("[X17] are claimed and given back", async () => {
    const terminal = { id: "t1", session_key: null };
    const server = await startTestServer((_request, response) => answerJson(response, { terminal }));
    const terminals = terminalsOf(server);
    expect(await terminals.claim("t1")).toEqual(terminal);
    await terminals.giveBack("t1");
    expect(server.requests.slice(-2).map(({ method, path, body }) => [method, path, body])).toEqual([
      ["POST", "/sdk/acp/terminals/t1/claim", `{"kind":"client"}`],
      ["POST", "/sdk/acp/terminals/t1/claim", `{"kind":"session"}`],
    ]);
  });

  it("[X17] take text, bytes, a size, and an end", async () => {
    const answer = { success: true, size: { cols: 80, rows: 24 } };
    const server = await startTestServer((_request, response) => answerJson(response, answer));
    const terminals = terminalsOf(server);
    await terminals.input("t1", "ls\r");
    await terminals.input("t1", allBytes);
    expect(await terminals.resize("t1", { cols: 80, rows: 24 })).toEqual({ cols: 80, rows: 24 });
    await terminals.kill("t1");
    const [, text, bytes, size, end] = server.requests;
    expect([text?.path, text?.body]).toEqual(["/sdk/acp/terminals/t1/input", `{"text":"ls\\r"}`]);
    expect(bytes?.body).toBe(JSON.stringify({ bytes: Buffer.from(allBytes).toString("base64") }));
    expect([size?.path, size?.body]).toEqual(["/sdk/acp/terminals/t1/resize", `{"cols":80,"rows":24}`]);
    expect([end?.method, end?.path, end?.body]).toEqual(["POST", "/sdk/acp/terminals/t1/kill", ""]);
  });
});
