// Who is let in: the token, the host that is meant, the page that asks.
import { describe, expect, it } from "vitest";
import { sendRaw } from "../testing/api-client.ts";
import { serve } from "../testing/serving.ts";
import { startServer } from "../server.ts";
import { SmallHost } from "../testing/small-host.ts";
import { formatAuthority, isLoopback } from "./loopback.ts";
import { OwnerToken } from "./token.ts";

const refused = { status: 401, body: { success: false, code: "UNAUTHORIZED" } };

describe("[A10] the token", () => {
  it("[A10] is taken as x-api-key or as a bearer, whichever is right", async () => {
    const { server, token } = await serve();
    const get = (headers: Record<string, string>) => sendRaw(`${server.url}/sdk/acp/sessions`, headers);
    const accepted: Record<string, string>[] = [
      { "x-api-key": token },
      { authorization: `Bearer ${token}` },
      { authorization: `bearer  ${token}` },
      { "x-api-key": token, authorization: "Bearer of-another-making" },
      { "x-api-key": "of-another-making", authorization: `Bearer ${token}` },
    ];
    for (const headers of accepted) {
      expect(await get(headers)).toMatchObject({ status: 200 });
    }
  });

  it("[A10] without it there is only 401, in JSON, whatever the path", async () => {
    const { server, token } = await serve();
    const foreign: Record<string, string>[] = [
      {},
      { "x-api-key": "" },
      { "x-api-key": `${token}x` },
      { "x-api-key": token.slice(1) },
      { authorization: token },
      { authorization: `Basic ${token}` },
    ];
    for (const headers of foreign) {
      expect(await sendRaw(`${server.url}/sdk/acp/sessions`, headers)).toMatchObject(refused);
    }
    expect(await sendRaw(`${server.url}/nowhere`, {})).toMatchObject(refused);
    expect(await sendRaw(`${server.url}/sdk/acp/sessions?tkn=${token}`, {})).toMatchObject(refused);
  });

  it("[A10] is never empty", () => {
    expect(() => new OwnerToken("")).toThrow("empty");
  });
});

describe("[A11] the host that is meant", () => {
  it.each(["127.0.0.1:1", "localhost", "LOCALHOST:4747", "127.1.2.3:80", "[::1]:4747"])(
    "[A11] %s is this one",
    async (host) => {
      const { server } = await serve();
      expect(await sendRaw(`${server.url}/healthz`, { host })).toMatchObject({ status: 200 });
    },
  );

  it.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:4747",
    "10.0.0.1",
    "[::2]",
    "localhost/x",
    "a@localhost",
  ])("[A11] %s is not, with the token or without", async (host) => {
    const { server, token } = await serve();
    expect(await sendRaw(`${server.url}/healthz`, { host, "x-api-key": token })).toMatchObject({
      status: 403,
      body: { success: false, code: "HOST_NOT_ALLOWED" },
    });
  });
});

describe("[A12] the page that asks", () => {
  it("[A12] may be one that the host serves itself", async () => {
    const { server, token } = await serve();
    for (const origin of [server.url, `http://localhost:${server.port}`]) {
      const reply = await sendRaw(`${server.url}/sdk/ping`, { origin, "x-api-key": token });
      expect(reply).toMatchObject({ status: 200 });
    }
  });

  it.each([
    "http://evil.example",
    "null",
    "https://127.0.0.1",
    "http://127.0.0.1:1",
    "http://localhost.evil.example",
  ])("[A12] may not be %s", async (origin) => {
    const { server, token } = await serve();
    expect(await sendRaw(`${server.url}/sdk/ping`, { origin, "x-api-key": token })).toMatchObject({
      status: 403,
      body: { success: false, code: "ORIGIN_NOT_ALLOWED" },
    });
  });
});

describe("[A13] where it listens", () => {
  it.each(["0.0.0.0", "::", "192.168.0.1", "example.org", ""])("[A13] not on %j", async (host) => {
    const options = { host: new SmallHost(), token: "t", log: () => {}, listen: { host, port: 0 } };
    await expect(startServer(options)).rejects.toThrow("listens on this machine only");
  });

  it("[A13] loopback addresses are known in every form", () => {
    expect(["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost"].every(isLoopback)).toBe(true);
    expect(["127.example.org", "::", "::2", "1.127.0.0"].some(isLoopback)).toBe(false);
    expect(formatAuthority("::1", 80)).toBe("[::1]:80");
    expect(formatAuthority("127.0.0.1", 80)).toBe("127.0.0.1:80");
  });
});
