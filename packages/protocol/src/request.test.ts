// Requests as both families of clients send them, read by the contract.
import { describe, expect, it } from "vitest";
import { HostError } from "./host-error.ts";
import { LIMITS } from "./limits.ts";
import { operationPath, routePattern } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import type { SessionOptions } from "./operations/session.ts";
import { readRequest } from "./request.ts";
import type { RawRequest } from "./request.ts";

const key = "agent:claude:acp:550e8400-e29b-41d4-a716-446655440000";
const params = { key };
const {
  createSession,
  patchSession,
  closeSession,
  cancelTurn,
  chat,
  streamChat,
  resolvePermission,
  listAgents,
} = OPERATIONS;

function refusal(operation: Operation, request: RawRequest): HostError {
  try {
    readRequest(operation, request);
  } catch (error) {
    if (error instanceof HostError) return error;
    throw error;
  }
  throw new Error("The request was taken");
}

function refusedPatch(options: unknown): HostError {
  return refusal(patchSession, { params, body: JSON.stringify(options) });
}

function patch(options: unknown): unknown {
  return readRequest(patchSession, { params, body: JSON.stringify(options) }).body;
}

describe("the table", () => {
  it("[P9] holds the ten routes of the reference, and none twice", () => {
    const routes = Object.values(OPERATIONS).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(routes).size).toBe(routes.length);
    const tenRoutes = [
      "DELETE /sdk/acp/session/{key}",
      "GET /sdk/acp/agents",
      "GET /sdk/acp/session/{key}",
      "GET /sdk/acp/sessions",
      "PATCH /sdk/acp/session/{key}",
      "POST /sdk/acp/session",
      "POST /sdk/acp/session/{key}/cancel",
      "POST /sdk/acp/session/{key}/chat",
      "POST /sdk/acp/session/{key}/chat/stream",
      "POST /sdk/acp/session/{key}/permission",
    ];
    expect(routes.filter((route) => tenRoutes.includes(route)).toSorted()).toEqual(tenRoutes);
  });

  it.each(Object.entries(OPERATIONS))(
    "[P9] %s is found under its own name, which says whether it is a stream",
    (name, operation) => {
      expect(operation.name).toBe(name);
      expect(operation.stream).toBe(name.startsWith("stream"));
      expect(new Set(operation.errors).size).toBe(operation.errors.length);
    },
  );

  it("[P8] a client's path percent-encodes the key, a router's names it", () => {
    expect(operationPath(chat, params)).toBe(
      "/sdk/acp/session/agent%3Aclaude%3Aacp%3A550e8400-e29b-41d4-a716-446655440000/chat",
    );
    expect(routePattern(streamChat)).toBe("/sdk/acp/session/:key/chat/stream");
    expect(operationPath(listAgents)).toBe("/sdk/acp/agents");
    expect(() => operationPath(chat)).toThrow("chat needs the path parameter key");
  });
});

describe("bodies", () => {
  it.each([closeSession, cancelTurn])(
    "[P10] $name takes no body, an empty one, and one with a reason",
    (operation) => {
      for (const body of [undefined, "", " \n", "{}", "null", '{"reason":null}']) {
        expect(readRequest(operation, { params, body })).toMatchObject({ params, body: {} });
      }
      expect(readRequest(operation, { params, body: '{"reason":"done"}' }).body).toEqual({ reason: "done" });
    },
  );

  it("[P10] a body where none belongs is ignored", () => {
    expect(readRequest(OPERATIONS.getSession, { params, body: "{" })).toEqual({
      params,
      query: undefined,
      headers: undefined,
      body: undefined,
    });
  });

  it.each([createSession, patchSession, chat, streamChat, resolvePermission])(
    "[P10] $name does not do without its body",
    (operation) => {
      const error = refusal(operation, { params });
      expect(error.status).toBe(400);
      expect(error.message).toBe("The body is required.");
    },
  );

  it("[P11] what is no JSON is refused as that", () => {
    expect(refusal(chat, { params, body: "{message" })).toMatchObject({ code: "INVALID_JSON", status: 400 });
  });

  it("[P8] the key is read from its percent-encoded form", () => {
    expect(readRequest(cancelTurn, { params: { key: encodeURIComponent(key) } }).params).toEqual({ key });
  });
});

describe("sessions", () => {
  const options = {
    agent_id: "claude",
    cwd: "/work",
    label: "Docs",
    model: "sonnet",
    approvalPolicy: "approve-reads",
    forwardedProvider: "anthropic",
  };

  it("[P12] a new session is read as documented", () => {
    const read: SessionOptions = readRequest(createSession, { body: JSON.stringify(options) }).body;
    expect(read).toEqual(options);
  });

  it("[P12] the other spelling and null for nothing are taken too", () => {
    const body = JSON.stringify({
      agentId: "claude",
      cwd: "/work",
      label: "Docs",
      model: "sonnet",
      approval_policy: "approve-reads",
      forwarded_provider: "anthropic",
    });
    expect(readRequest(createSession, { body }).body).toEqual(options);
    expect(readRequest(createSession, { body: '{"agent_id":"qwen","cwd":null,"model":null}' }).body).toEqual({
      agent_id: "qwen",
    });
  });

  it("[P12] where both spellings are there, the documented one counts", () => {
    for (const body of ['{"agent_id":"a","agentId":"b"}', '{"agentId":"b","agent_id":"a"}']) {
      expect(readRequest(createSession, { body }).body).toEqual({ agent_id: "a" });
    }
  });

  it.each([
    ["{}", "agent_id is required."],
    ["[]", "The body must be an object, not an array."],
    ['{"agent_id":"a","cwd":"src"}', "cwd must be an absolute path."],
    [
      '{"agent_id":"a","approvalPolicy":"all"}',
      'approvalPolicy must be one of "approve-all", "approve-reads", "deny-all", "ask".',
    ],
    [
      '{"agent_id":"a","aprovalPolicy":"deny-all"}',
      'The body has no member "aprovalPolicy"; it has: agent_id, cwd, label, model, timeoutSeconds, runtimeMode, approvalPolicy, extras, limits, forwardedProvider, mcpServers, isolation.',
    ],
    ['{"agent_id":"a","model":7}', "model must be a string, not a number."],
  ])("[P13] %s is refused with its place named", (body, message) => {
    const error = refusal(createSession, { body });
    expect(error.code).toBe("ACP_INVALID_OPTION");
    expect(error.message).toBe(message);
  });
});

describe("options", () => {
  it("[P14] every option is accepted up to its limit", () => {
    const extras = Object.fromEntries(
      Array.from({ length: 32 }, (_, index) => [`k${index}`.padEnd(64, "x"), "v".repeat(512)]),
    );
    const options = {
      model: "m".repeat(200),
      cwd: `/${"d".repeat(4095)}`,
      timeoutSeconds: 86_400,
      runtimeMode: "r".repeat(64),
      approvalPolicy: "deny-all",
      extras,
    };
    expect(patch(options)).toEqual(options);
    expect(patch({ timeoutSeconds: 1 })).toEqual({ timeoutSeconds: 1 });
    expect(patch({ extras: { "A1._:-": "" } })).toEqual({ extras: { "A1._:-": "" } });
    expect(patch({})).toEqual({});
    expect(patch({ approvalPolicy: null })).toEqual({ approvalPolicy: null });
  });

  it("[P12] options are taken in the other spelling", () => {
    expect(patch({ timeout_seconds: 5, runtime_mode: "plan", approval_policy: "deny-all" })).toEqual({
      timeoutSeconds: 5,
      runtimeMode: "plan",
      approvalPolicy: "deny-all",
    });
  });

  it.each([
    [{ model: "m".repeat(201) }, "model must have at most 200 characters."],
    [{ model: "" }, "model must not be empty."],
    [{ model: "a\u0007" }, "model must not contain control characters."],
    [{ cwd: `/${"d".repeat(4096)}` }, "cwd must have at most 4096 characters."],
    [{ cwd: "/a\nb" }, "cwd must not contain control characters."],
    [{ cwd: "~/a" }, "cwd must be an absolute path."],
    [{ timeoutSeconds: 0 }, "timeoutSeconds must be at least 1."],
    [{ timeoutSeconds: 86_401 }, "timeoutSeconds must be at most 86400."],
    [{ timeoutSeconds: 1.5 }, "timeoutSeconds must be a whole number."],
    [{ timeoutSeconds: "5" }, "timeoutSeconds must be a number, not a string."],
    [{ runtimeMode: "r".repeat(65) }, "runtimeMode must have at most 64 characters."],
    [{ model: null }, "model must be a string, not null."],
    [{ extras: { a: "v".repeat(513) } }, "extras.a must have at most 512 characters."],
    [{ extras: { a: "\u001b[2J" } }, "extras.a must not contain control characters."],
    [{ extras: { a: 1 } }, "extras.a must be a string, not a number."],
    [
      { color: "red" },
      'The body has no member "color"; it has: model, cwd, timeoutSeconds, runtimeMode, approvalPolicy, extras, limits.',
    ],
  ])("[P14] beyond its limit an option is refused: case %#", (options, message) => {
    const error = refusedPatch(options);
    expect(error).toMatchObject({ code: "ACP_INVALID_OPTION", status: 400 });
    expect(error.message).toBe(message);
  });

  it("[P14] names in extras are bounded in form, length and number", () => {
    expect(refusedPatch({ extras: { "-a": "" } }).message).toMatch(
      /^extras\.-a is not a valid name: it must start/,
    );
    expect(refusedPatch({ extras: { ["k".repeat(65)]: "" } }).message).toMatch(/at most 64 characters\.$/);
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, ""]));
    expect(refusedPatch({ extras: many }).message).toBe("extras must have at most 32 entries.");
  });

  it("[P13] all errors are reported at once", () => {
    const error = refusedPatch({ model: "", timeoutSeconds: 0 });
    expect(error.message).toBe("model must not be empty; timeoutSeconds must be at least 1.");
    expect(error.details["problems"]).toEqual([
      { path: "model", message: "must not be empty" },
      { path: "timeoutSeconds", message: "must be at least 1" },
    ]);
  });
});

describe("turns", () => {
  const attachment = { contentString: "data:image/png;base64,iVBORw0KGgo=", mime: "image/png" };

  it("[P15] a message, its attachments, and the queue flag are read", () => {
    for (const operation of [chat, streamChat]) {
      const body = { message: "hi", attachments: [attachment], queue: true };
      expect(readRequest(operation, { params, body: JSON.stringify(body) }).body).toEqual(body);
      expect(readRequest(operation, { params, body: '{"message":"hi","attachments":null}' }).body).toEqual({
        message: "hi",
      });
    }
  });

  it("[P15] an attachment may stand alone, a turn may not be empty", () => {
    const body = { message: "", attachments: [attachment] };
    expect(readRequest(chat, { params, body: JSON.stringify(body) }).body).toEqual(body);
    expect(refusal(chat, { params, body: '{"message":""}' }).message).toBe("message must not be empty.");
  });

  it.each([
    ["{}", "message is required."],
    [
      '{"message":"a","attachments":[{"contentString":"abc","mime":"image/png"}]}',
      "attachments[0].contentString must be a data URI in base64: data:<mime>;base64,<data>.",
    ],
    [
      JSON.stringify({
        message: "a",
        attachments: Array.from({ length: LIMITS.attachments + 1 }, () => attachment),
      }),
      "attachments must have at most 32 entries.",
    ],
  ])("[P15] a message of the wrong form is refused: case %#", (body, message) => {
    const error = refusal(streamChat, { params, body });
    expect(error).toMatchObject({ code: "INVALID_REQUEST", status: 400 });
    expect(error.message).toBe(message);
  });
});

describe("permissions and agents", () => {
  it("[P16] a decision is read with any outcome or none, in either spelling", () => {
    const decision = { requestId: "r", optionId: "o" };
    for (const outcome of ["selected", "approved"]) {
      const body = JSON.stringify({ ...decision, outcome });
      expect(readRequest(resolvePermission, { params, body }).body).toEqual({ ...decision, outcome });
    }
    const snake = '{"request_id":"r","option_id":"o"}';
    expect(readRequest(resolvePermission, { params, body: snake }).body).toEqual(decision);
  });

  it("[P17] models are listed only when asked for", () => {
    expect(readRequest(listAgents, {}).query).toEqual({ includeModels: false });
    expect(readRequest(listAgents, { query: { includeModels: "true" } }).query).toEqual({
      includeModels: true,
    });
    expect(readRequest(listAgents, { query: { includeModels: "0", other: "1" } }).query).toEqual({
      includeModels: false,
    });
    expect(refusal(listAgents, { query: { includeModels: "perhaps" } }).message).toBe(
      "includeModels must be true or false.",
    );
  });
});
