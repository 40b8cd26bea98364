// The audit over HTTP: for the owner and for keys that may do everything.
import { OPERATIONS, type AuditRecord } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { ApiClient } from "../testing/api-client.ts";
import { serve } from "../testing/serving.ts";

function command(id: number, session: string): AuditRecord {
  return {
    id,
    at: "2026-01-02T03:04:05.000Z",
    session,
    what: "command",
    subject: "make",
    by: "policy",
    verdict: "allowed",
  };
}

describe("[A84] the audit", () => {
  it("[A84] is given from an id on, of all sessions or of one", async () => {
    const { client, host } = await serve();
    host.audit.push(command(1, "a"), command(2, "b"), command(3, "a"));
    const list = async (query: string): Promise<unknown> => {
      const { status, body } = await client.send("GET", `/admin/audit${query}`);
      expect([status, OPERATIONS.listAudit.response.safeParse(body).error]).toEqual([200, undefined]);
      return body["entries"];
    };
    expect(await list("")).toEqual(host.audit);
    expect(await list("?after=1")).toEqual([command(2, "b"), command(3, "a")]);
    expect(await list("?after=1&session=a&limit=1000")).toEqual([command(3, "a")]);
  });

  it.each(["after=-1", "limit=0", "limit=1001", "session="])("[A84] %s is refused", async (query) => {
    const { client } = await serve();
    expect(await client.send("GET", `/admin/audit?${query}`)).toMatchObject({
      status: 400,
      body: { code: "INVALID_REQUEST" },
    });
  });

  it("[A84] is for nobody else", async () => {
    const { client, server } = await serve();
    const { body } = await client.send("POST", "/admin/keys", {
      body: { name: "app", scopes: ["acp.agent", "terminal"] },
    });
    const app = new ApiClient(server.url, String(body["secret"]));
    expect(await app.send("GET", "/admin/audit")).toMatchObject({
      status: 403,
      body: { permission: "admin" },
    });
  });
});
