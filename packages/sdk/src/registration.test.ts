// Registration: the permissions an app requests, sent without a key and without delaying anything.
import { describe, expect, it } from "vitest";
import { Holdfast } from "./holdfast.ts";
import { answerJson, startTestServer } from "./testing/test-server.ts";

describe("[X11] an app with an id, requested permissions and no key", () => {
  it("[X11] sends the requested permissions to the host, and nothing else", async () => {
    const server = await startTestServer((_request, response) =>
      answerJson(response, { message: "Recorded." }),
    );
    const client = new Holdfast({
      permissions: ["acp.agent"],
      realtimex: { url: server.url, appId: "app", appName: "My app" },
    });
    expect(await client.registration).toEqual({ kind: "registered", message: "Recorded." });
    const [request = expect.fail()] = server.requests;
    expect(server.requests).toHaveLength(1);
    expect(request).toMatchObject({ method: "POST", path: "/sdk/register" });
    expect(JSON.parse(request.body)).toEqual({
      app_id: "app",
      app_name: "My app",
      permissions: ["acp.agent"],
    });
    expect(request.headers).toMatchObject({ "content-type": "application/json" });
    expect(request.headers).not.toHaveProperty("x-app-id");
  });

  it("[X11] whose host refuses or is not there learns it where it asks, and no call fails for it", async () => {
    const server = await startTestServer(({ path }, response) => {
      if (path === "/sdk/register") answerJson(response, { error: "No", code: "PERMISSION_DENIED" }, 403);
      else answerJson(response, { sessions: [] });
    });
    const client = new Holdfast({ baseUrl: server.url, appId: "app", permissions: ["acp.agent"] });
    expect(await client.acpAgent.listSessions()).toEqual([]);
    expect(await client.registration).toMatchObject({ kind: "failed", error: { code: "PERMISSION_DENIED" } });
    server.stop();
    const other = new Holdfast({ baseUrl: server.url, appId: "app", permissions: ["acp.agent"] });
    expect(await other.registration).toMatchObject({ kind: "failed" });
  });

  it.each([
    ["a key", { apiKey: "k", appId: "app", permissions: ["acp.agent"] }],
    ["no id", { permissions: ["acp.agent"] }],
    ["no requested permission", { appId: "app" }],
  ])("[X11] with %s there is nothing to send", async (_what, options) => {
    const server = await startTestServer(() => undefined);
    expect(await new Holdfast({ baseUrl: server.url, ...options }).registration).toEqual({
      kind: "not-needed",
    });
    expect(server.requests).toEqual([]);
  });
});
