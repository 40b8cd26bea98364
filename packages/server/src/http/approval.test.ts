// Approvals of all sessions: the list, and the answer from a connection that never saw the question.
import { OPERATIONS } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { serve } from "../testing/serving.ts";

describe("[A51] approvals", () => {
  it("[A51] of all sessions are listed as they were asked", async () => {
    const { client, host } = await serve();
    expect((await client.send("GET", "/sdk/acp/approvals")).body).toEqual({ success: true, approvals: [] });
    const keys = [await client.createSession(), await client.createSession()];
    const asked: object[] = [];
    for (const [index, key] of keys.entries()) {
      const stream = await client.stream(key);
      host.lastTurn.ask(String(index));
      await stream.next();
      asked.push({
        ...(await stream.next())?.data,
        session_key: key,
        requestedAt: "2026-01-02T03:04:05.000Z",
      });
    }
    const { body } = await client.send("GET", "/sdk/acp/approvals");
    expect(OPERATIONS.listApprovals.response.safeParse(body).error).toBeUndefined();
    expect(body["approvals"]).toEqual(asked);
  });

  it("[A51] are answered from any connection, without naming the session, and the first answer counts", async () => {
    const { client, host } = await serve();
    await client.createSession();
    const stream = await client.stream(await client.createSession());
    const id = host.lastTurn.ask("1");
    const answer = () => client.send("POST", `/sdk/acp/approvals/${id}`, { body: { optionId: "go" } });
    expect((await answer()).body).toEqual({ success: true, resolved: true });
    expect(await answer()).toMatchObject({
      status: 200,
      body: { success: true, resolved: false, reason: expect.stringContaining("not open") as unknown },
    });
    host.lastTurn.complete();
    expect((await stream.rest()).map(({ event, data }) => data["tag"] ?? event)).toContain(
      "permission_resolved",
    );
    expect((await client.send("GET", "/sdk/acp/approvals")).body["approvals"]).toEqual([]);
    expect((await client.send("POST", `/sdk/acp/approvals/${id}`, { body: {} })).status).toBe(400);
  });
});

it("[A600] what is always allowed is listed and removed; one that is not there is 404", async () => {
  const { client, host } = await serve();
  const rule = {
    id: "r1",
    scope: "folder",
    folder: "/w",
    agent_id: "shell",
    subject: { kind: "write", files: [{ path: "/w/a" }] },
    createdAt: "2026-01-02T03:04:05.000Z",
    by: "client owner",
  } as const;
  host.rules.set(rule.id, rule);
  const { body } = await client.send("GET", "/sdk/acp/permission-rules");
  expect(OPERATIONS.listPermissionRules.response.safeParse(body).error).toBeUndefined();
  expect(body["rules"]).toEqual([rule]);
  expect((await client.send("DELETE", "/sdk/acp/permission-rules/r1")).status).toBe(200);
  expect(await client.send("DELETE", "/sdk/acp/permission-rules/r1")).toMatchObject({
    status: 404,
    body: { code: "NOT_FOUND" },
  });
});

describe("[A85] an answer to a question", () => {
  const content = { colour: "red", count: 3, sure: true, tags: ["a", null] };

  it("[A85] may have what was filled in", async () => {
    const { client, host } = await serve();
    const path = `/sdk/acp/session/${await client.createSession()}/permission`;
    const send = (answer: object) =>
      client.send("POST", path, { body: { requestId: "r", optionId: "accept", ...answer } });
    expect((await send({ content })).status).toBe(200);
    expect((await send({ content: null })).status).toBe(200);
    expect(host.decisions).toEqual([
      { requestId: "r", optionId: "accept", content },
      { requestId: "r", optionId: "accept" },
    ]);
    for (const bad of ["red", ["red"], 1]) {
      expect(await send({ content: bad })).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
    }
  });
});
