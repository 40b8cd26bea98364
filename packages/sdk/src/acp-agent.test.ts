// The operations of the reference: names, requests and shapes.
import { describe, expect, it } from "vitest";
import { Holdfast, RealtimeXSDK } from "./index.ts";
import { answerJson, startTestServer, type SeenRequest } from "./testing/test-server.ts";

const key = "agent:claude:acp:550e8400-e29b-41d4-a716-446655440000";
const encodedPath = "/sdk/acp/session/agent%3Aclaude%3Aacp%3A550e8400-e29b-41d4-a716-446655440000";
const session = {
  session_key: key,
  agent_id: "claude-cli",
  state: "ready",
  backend_id: "b",
  created_at: "2026-01-01T00:00:00Z",
};
const status = { ...session, runtime_options: {}, last_activity_at: null };
const agents = [
  {
    id: "claude-cli",
    label: "Claude Code",
    handles: ["claude"],
    installed: true,
    authReady: true,
    status: "installed",
  },
];
const response = { text: "4", stop_reason: "end_turn" };
const image = { contentString: "data:image/png;base64,AA==", mime: "image/png" };

type Call = (client: Holdfast) => Promise<unknown>;

/** Request that a call sends, and its result for a given response. */
async function observe(call: Call, answer: object): Promise<{ request: SeenRequest; result: unknown }> {
  const server = await startTestServer((_request, reply) => answerJson(reply, { success: true, ...answer }));
  const result = await call(new Holdfast({ baseUrl: server.url, apiKey: "k" }));
  return { request: server.requests.at(-1) ?? expect.fail("nothing was sent"), result };
}

const cases: [
  string,
  Call,
  object,
  { method: string; path: string; query?: object; body?: object },
  unknown,
][] = [
  [
    "listAgents()",
    ({ acpAgent }) => acpAgent.listAgents(),
    { agents },
    { method: "GET", path: "/sdk/acp/agents" },
    agents,
  ],
  [
    "listAgents with models",
    ({ acpAgent }) => acpAgent.listAgents({ includeModels: true }),
    { agents },
    { method: "GET", path: "/sdk/acp/agents", query: { includeModels: "true" } },
    agents,
  ],
  [
    "createSession",
    ({ acpAgent }) =>
      acpAgent.createSession({ agent_id: "claude", cwd: "/p", approvalPolicy: "approve-all" }),
    { session },
    {
      method: "POST",
      path: "/sdk/acp/session",
      body: { agent_id: "claude", cwd: "/p", approvalPolicy: "approve-all" },
    },
    session,
  ],
  [
    "getSession",
    ({ acpAgent }) => acpAgent.getSession(key),
    { session: status },
    { method: "GET", path: encodedPath },
    status,
  ],
  [
    "listSessions",
    ({ acpAgent }) => acpAgent.listSessions(),
    { sessions: [status] },
    { method: "GET", path: "/sdk/acp/sessions" },
    [status],
  ],
  [
    "listSessions with those that are over",
    ({ acpAgent }) => acpAgent.listSessions({ closed: true }),
    { sessions: [status] },
    { method: "GET", path: "/sdk/acp/sessions", query: { closed: "true" } },
    [status],
  ],
  [
    "closeSession with everything that is kept",
    ({ acpAgent }) => acpAgent.closeSession(key, undefined, { purge: true }),
    {},
    { method: "DELETE", path: encodedPath, query: { purge: "true" } },
    undefined,
  ],
  [
    "patchSession",
    ({ acpAgent }) => acpAgent.patchSession(key, { timeoutSeconds: 300, approvalPolicy: null }),
    { session: status },
    { method: "PATCH", path: encodedPath, body: { timeoutSeconds: 300, approvalPolicy: null } },
    undefined,
  ],
  [
    "closeSession",
    ({ acpAgent }) => acpAgent.closeSession(key),
    {},
    { method: "DELETE", path: encodedPath },
    undefined,
  ],
  [
    "closeSession with a reason",
    ({ acpAgent }) => acpAgent.closeSession(key, "done"),
    {},
    { method: "DELETE", path: encodedPath, body: { reason: "done" } },
    undefined,
  ],
  [
    "reopenSession",
    ({ acpAgent }) => acpAgent.reopenSession(key),
    { session: status },
    { method: "POST", path: `${encodedPath}/reopen` },
    status,
  ],
  [
    "chat",
    ({ acpAgent }) => acpAgent.chat(key, "2+2"),
    { response },
    { method: "POST", path: `${encodedPath}/chat`, body: { message: "2+2" } },
    response,
  ],
  [
    "chat with an attachment, in line",
    ({ acpAgent }) => acpAgent.chat(key, "see", [image], { queue: true }),
    { response },
    {
      method: "POST",
      path: `${encodedPath}/chat`,
      body: { message: "see", attachments: [image], queue: true },
    },
    response,
  ],
  [
    "cancelTurn",
    ({ acpAgent }) => acpAgent.cancelTurn(key),
    {},
    { method: "POST", path: `${encodedPath}/cancel` },
    undefined,
  ],
  [
    "cancelTurn with a reason",
    ({ acpAgent }) => acpAgent.cancelTurn(key, "user_cancelled"),
    {},
    { method: "POST", path: `${encodedPath}/cancel`, body: { reason: "user_cancelled" } },
    undefined,
  ],
  [
    "resolvePermission",
    ({ acpAgent }) => acpAgent.resolvePermission(key, { requestId: "r", optionId: "allow_once" }),
    { resolved: true },
    { method: "POST", path: `${encodedPath}/permission`, body: { requestId: "r", optionId: "allow_once" } },
    { resolved: true },
  ],
  [
    "resolvePermission, too late",
    ({ acp_agent }) =>
      acp_agent.resolvePermission(key, { requestId: "r", optionId: "o", outcome: "selected" }),
    { resolved: false, reason: "expired" },
    {
      method: "POST",
      path: `${encodedPath}/permission`,
      body: { requestId: "r", optionId: "o", outcome: "selected" },
    },
    { resolved: false, reason: "expired" },
  ],
];

describe("[X1] the reference's client", () => {
  it("[X1] is there under both names, with every method", () => {
    expect(RealtimeXSDK).toBe(Holdfast);
    const { acpAgent } = new RealtimeXSDK({
      realtimex: { url: "http://h", apiKey: "k" },
      permissions: ["acp.agent"],
    });
    const methods: (keyof typeof acpAgent)[] = [
      "listAgents",
      "createSession",
      "getSession",
      "listSessions",
      "patchSession",
      "closeSession",
      "chat",
      "streamChat",
      "cancelTurn",
      "resolvePermission",
      "startChat",
    ];
    for (const method of methods) expect(acpAgent[method]).toBeTypeOf("function");
  });

  it.each(cases)(
    "[X2] %s sends what the contract says and gives its member",
    async (_name, call, answer, sent, given) => {
      const { request, result } = await observe(call, answer);
      expect(result).toEqual(given);
      expect({ method: request.method, path: request.path }).toEqual({
        method: sent.method,
        path: sent.path,
      });
      expect(Object.fromEntries(request.query)).toEqual(sent.query ?? {});
      expect(request.body).toBe(sent.body === undefined ? "" : JSON.stringify(sent.body));
      expect(request.headers["content-type"]).toBe("application/json");
    },
  );

  it("[X2] a turn under a key says the key", async () => {
    const { request } = await observe(
      ({ acpAgent }) => acpAgent.chat(key, "go", undefined, { idempotencyKey: "once" }),
      { response },
    );
    expect(request.headers["idempotency-key"]).toBe("once");
  });

  it("[X1] startChat creates a session and runs its first turn", async () => {
    const server = await startTestServer((_request, reply) =>
      answerJson(reply, { success: true, session, response }),
    );
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    expect(await acpAgent.startChat("2+2", { agent_id: "claude" })).toEqual({ session, response });
    expect(server.requests.map(({ method, path }) => `${method} ${path}`).slice(1)).toEqual([
      "POST /sdk/acp/session",
      `POST ${encodedPath}/chat`,
    ]);
  });

  it("[X1] startChat leaves no session behind whose first turn cannot be run", async () => {
    const server = await startTestServer(({ path, method }, reply) => {
      if (path === "/sdk/acp/session") return answerJson(reply, { session });
      // That it cannot be closed either must not hide the first error.
      if (method === "DELETE") return answerJson(reply, { error: "No", code: "INTERNAL" }, 500);
      answerJson(reply, { error: "Set one.", code: "APPROVAL_POLICY_REQUIRED" }, 400);
    });
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    await expect(acpAgent.startChat("2+2", { agent_id: "claude" })).rejects.toMatchObject({
      code: "APPROVAL_POLICY_REQUIRED",
    });
    expect(server.requests.at(-1)).toMatchObject({ method: "DELETE", path: encodedPath });
  });
});
