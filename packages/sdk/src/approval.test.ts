// Approvals across sessions: the list, and the answer.
import { expect, it } from "vitest";
import { Holdfast } from "./holdfast.ts";
import { answerJson, startTestServer } from "./testing/test-server.ts";

it("[X16] approvals of all sessions are listed and answered in their own", async () => {
  const approval = {
    session_key: "agent:shell:acp:550e8400-e29b-41d4-a716-446655440000",
    requestId: "r1",
    action: "execute",
    target: "rm -r build",
    options: [{ optionId: "run-it", id: "run-it", name: "Run it", label: "Run it", kind: "allow_once" }],
    requestedAt: "2026-01-01T00:00:00.000Z",
    expiresAt: null,
  };
  const server = await startTestServer(({ method }, response) =>
    answerJson(
      response,
      method === "GET" ? { success: true, approvals: [approval] } : { success: true, resolved: true },
    ),
  );
  const { approvals } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
  const [waiting = expect.fail()] = await approvals.list();
  expect(waiting).toEqual(approval);
  expect(await approvals.resolve(waiting, waiting.options[0]?.optionId ?? "")).toEqual({ resolved: true });
  expect(await approvals.resolve("r/2", "run-it")).toEqual({ resolved: true });
  expect(server.requests.slice(1).map(({ method, path, body }) => [method, path, body])).toEqual([
    ["GET", "/sdk/acp/approvals", ""],
    [
      "POST",
      `/sdk/acp/session/${encodeURIComponent(approval.session_key)}/permission`,
      `{"requestId":"r1","optionId":"run-it"}`,
    ],
    ["POST", "/sdk/acp/approvals/r%2F2", `{"optionId":"run-it"}`],
  ]);
});

it("[X600] what is always allowed is listed and removed, and an answer for always has its scope", async () => {
  const rule = { id: "r/1", scope: "folder", folder: "/w", agent_id: "shell" };
  const server = await startTestServer((_request, response) =>
    answerJson(response, { success: true, rules: [rule], resolved: true }),
  );
  const { permissionRules, approvals } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
  expect(await permissionRules.list()).toEqual([rule]);
  await permissionRules.remove("r/1");
  await approvals.resolve("r2", "allow_always", { scope: "folder" });
  expect(server.requests.slice(-3).map(({ method, path, body }) => [method, path, body])).toEqual([
    ["GET", "/sdk/acp/permission-rules", ""],
    ["DELETE", "/sdk/acp/permission-rules/r%2F1", ""],
    ["POST", "/sdk/acp/approvals/r2", `{"optionId":"allow_always","scope":"folder"}`],
  ]);
});
