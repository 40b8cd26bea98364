// Requests: identity, refusals of a host, and aborts.
import { describe, expect, it } from "vitest";
import { HoldfastError } from "./error.ts";
import { Holdfast } from "./holdfast.ts";
import {
  answerJson,
  startTestServer,
  type SeenRequest,
  type TestServerOptions,
} from "./testing/test-server.ts";

const noSessions = { success: true, sessions: [] };

/** A host that knows nothing but an empty list of sessions, and accepts one bearer token, or none at all. */
function startHost(accepted: () => string | undefined, lend: () => string, options: TestServerOptions = {}) {
  return startTestServer(
    (request, response) => {
      const isFine = accepted() === undefined || request.headers.authorization === `Bearer ${accepted()}`;
      if (isFine) answerJson(response, noSessions);
      else answerJson(response, { success: false, error: "No", code: "UNAUTHORIZED" }, 401);
    },
    {
      answerToken: (_request, response) => answerJson(response, { token: lend(), hasToken: true }),
      ...options,
    },
  );
}

function pathsOf(requests: readonly SeenRequest[]): string[] {
  return requests.map(({ path }) => path);
}

const tokenPath = "/sdk/auth/token";
const sessionsPath = "/sdk/acp/sessions";

describe("[X4] every request", () => {
  it("[X4] says that it is JSON, which app asks, and with which key", async () => {
    const server = await startTestServer((_request, response) => answerJson(response, noSessions));
    await new Holdfast({ baseUrl: `${server.url}//`, apiKey: "k", appId: "app" }).acpAgent.listSessions();
    expect(pathsOf(server.requests)).toEqual([tokenPath, sessionsPath]);
    for (const { headers } of server.requests) {
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "x-app-id": "app",
        "x-api-key": "k",
      });
      expect(headers).not.toHaveProperty("authorization");
    }
  });

  it("[X4] says nothing of what is not known", async () => {
    const server = await startTestServer((_request, response) => answerJson(response, noSessions));
    await new Holdfast({ baseUrl: server.url, apiKey: "" }).acpAgent.listSessions();
    const { headers } = server.requests.at(-1) ?? expect.fail();
    expect(headers).not.toHaveProperty("x-app-id");
    expect(headers).not.toHaveProperty("x-api-key");
  });

  it("[X4] goes through the fetch that was given", async () => {
    const seen: string[] = [];
    const fetch: typeof globalThis.fetch = (input) => {
      seen.push(input instanceof Request ? input.url : input.toString());
      return Promise.resolve(Response.json(noSessions));
    };
    await new Holdfast({ baseUrl: "http://h", apiKey: "k", fetch }).acpAgent.listSessions();
    expect(seen).toEqual([`http://h${tokenPath}`, `http://h${sessionsPath}`]);
  });
});

describe("[X9] the user's token", () => {
  it("[X9] is asked for once, before the first call, and sent with every later one", async () => {
    const server = await startHost(
      () => "t1",
      () => "t1",
    );
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    await Promise.all([acpAgent.listSessions(), acpAgent.listSessions()]);
    await acpAgent.listSessions();
    expect(pathsOf(server.requests)).toEqual([tokenPath, sessionsPath, sessionsPath, sessionsPath]);
  });

  it.each([
    ["404", 404, "{}"],
    ["no JSON", 200, "<html>"],
    ["no token", 200, `{"hasToken":false}`],
  ])("[X9] a host that answers %s has none, and calls continue without", async (_what, status, body) => {
    const server = await startTestServer((_request, response) => answerJson(response, noSessions), {
      answerToken: (_request, response) => void response.writeHead(status).end(body),
    });
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    expect(await acpAgent.listSessions()).toEqual([]);
    expect(server.requests.at(-1)?.headers).not.toHaveProperty("authorization");
  });
});

describe("[X10] a refused token", () => {
  it("[X10] is renewed, and the call is made once more", async () => {
    let current = "t1";
    const server = await startHost(
      () => current,
      () => current,
    );
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    await acpAgent.listSessions();
    current = "t2";
    expect(await acpAgent.listSessions()).toEqual([]);
    expect(pathsOf(server.requests).slice(2)).toEqual([sessionsPath, tokenPath, sessionsPath]);
  });

  it("[X10] that several calls meet at once is renewed by one of them", async () => {
    let current = "t1";
    const server = await startHost(
      () => current,
      () => current,
    );
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    await acpAgent.listSessions();
    current = "t2";
    await Promise.all([acpAgent.listSessions(), acpAgent.listSessions(), acpAgent.listSessions()]);
    expect(pathsOf(server.requests).filter((path) => path === tokenPath)).toHaveLength(2);
  });

  it.each([
    ["the same again", "t1"],
    ["none", ""],
  ])("[X10] is not tried again when the host lends %s", async (_what, lent) => {
    const server = await startHost(
      () => "other",
      () => lent,
    );
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    await expect(acpAgent.listSessions()).rejects.toMatchObject({ code: "UNAUTHORIZED", status: 401 });
    expect(pathsOf(server.requests)).toEqual([tokenPath, sessionsPath, tokenPath]);
  });

  it("[X10] is tried again once, not for ever", async () => {
    let count = 0;
    const server = await startHost(
      () => "never",
      () => `t${(count += 1)}`,
    );
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    await expect(acpAgent.listSessions()).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(pathsOf(server.requests).filter((path) => path === sessionsPath)).toHaveLength(2);
  });
});

describe("[X8] errors", () => {
  async function failWith(status: number, body: string): Promise<unknown> {
    const server = await startTestServer((_request, response) => void response.writeHead(status).end(body));
    return new Holdfast({ baseUrl: server.url, apiKey: "k" }).acpAgent
      .listSessions()
      .catch((error: unknown) => error);
  }

  it("[X8] have the host's code, status and sentence", async () => {
    const error = await failWith(
      404,
      `{"success":false,"error":"There is no such session.","code":"ACP_SESSION_NOT_FOUND"}`,
    );
    expect(error).toBeInstanceOf(HoldfastError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "HoldfastError",
      message: "There is no such session.",
      code: "ACP_SESSION_NOT_FOUND",
      status: 404,
    });
  });

  it("[X8] name the permission that is missing, in a sentence", async () => {
    const body = {
      success: false,
      error: "PERMISSION_REQUIRED",
      code: "PERMISSION_REQUIRED",
      permission: "acp.agent",
    };
    expect(await failWith(403, JSON.stringify({ ...body, message: "Ask the owner." }))).toMatchObject({
      code: "PERMISSION_REQUIRED",
      permission: "acp.agent",
      message: "Ask the owner.",
    });
  });

  it.each(["", "<html>", "null", "[]", `"text"`])(
    "[X8] are read from the status alone where the body %j says nothing",
    async (body) => {
      expect(await failWith(502, body)).toMatchObject({
        code: "UNKNOWN",
        status: 502,
        message: expect.stringContaining("502"),
      });
    },
  );

  it.each(["", "<html>", "null", "{}"])("[X8] an answer %j that is none is an error too", async (body) => {
    expect(await failWith(200, body)).toMatchObject({ code: "INVALID_RESPONSE", status: 200 });
  });

  it("[X8] a host that is not there is an error with its cause", async () => {
    const server = await startTestServer(() => undefined);
    server.stop();
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    await expect(acpAgent.listSessions()).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
      status: undefined,
      cause: expect.any(TypeError),
      message: expect.stringContaining(server.url),
    });
  });

  it("[X8] an answer that breaks off is an error of the connection", async () => {
    const server = await startTestServer((_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{", () => response.destroy());
    });
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    await expect(acpAgent.listSessions()).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
  });
});

describe("[X7] breaking off", () => {
  const reason = new Error("enough");

  it("[X7] a call that is aborted rejects with the reason", async () => {
    const controller = new AbortController();
    const server = await startTestServer(() => controller.abort(reason));
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    await expect(acpAgent.listSessions({ signal: controller.signal })).rejects.toBe(reason);
  });

  it("[X7] also while the token is awaited, and others still get it", async () => {
    const controller = new AbortController();
    let lend = (): void => undefined;
    const server = await startTestServer((_request, response) => answerJson(response, noSessions), {
      answerToken(_request, response) {
        lend = () => answerJson(response, { token: "t1" });
        controller.abort(reason);
      },
    });
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    const other = acpAgent.listSessions();
    await expect(acpAgent.listSessions({ signal: controller.signal })).rejects.toBe(reason);
    lend();
    await other;
    expect(server.requests.at(-1)?.headers.authorization).toBe("Bearer t1");
  });

  it("[X7] a signal that is aborted already sends nothing", async () => {
    const server = await startTestServer(() => undefined);
    const { acpAgent } = new Holdfast({ baseUrl: server.url, apiKey: "k" });
    await expect(acpAgent.listSessions({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });
});
