// Apps: listed, granted, refused, forgotten.
import { expect, it } from "vitest";
import { Holdfast } from "./holdfast.ts";
import { answerJson, startTestServer } from "./testing/test-server.ts";

it("[X61] apps are listed, granted, refused and forgotten", async () => {
  const app = {
    id: "notes",
    name: "Notes",
    requested: [],
    registeredAt: "2026-01-01T00:00:00.000Z",
    state: "waiting" as const,
  };
  const server = await startTestServer(({ method }, response) =>
    answerJson(response, method === "GET" ? { success: true, apps: [app] } : { success: true, app }),
  );
  const { apps } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
  expect(await apps.list()).toEqual([app]);
  expect(await apps.grant("notes", ["terminal"], { name: "Notes" })).toEqual(app);
  expect(await apps.grant("notes", ["acp.agent"])).toEqual(app);
  expect(await apps.deny("notes")).toEqual(app);
  await apps.remove("notes");
  expect(server.requests.slice(1).map(({ method, path, body }) => [method, path, body])).toEqual([
    ["GET", "/admin/apps", ""],
    ["POST", "/admin/apps/notes/grant", `{"permissions":["terminal"],"name":"Notes"}`],
    ["POST", "/admin/apps/notes/grant", `{"permissions":["acp.agent"]}`],
    ["POST", "/admin/apps/notes/deny", ""],
    ["DELETE", "/admin/apps/notes", ""],
  ]);
});
