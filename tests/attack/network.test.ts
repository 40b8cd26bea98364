// Attacks over the network of the machine: other users, pages of other origins, names that resolve to this machine.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { AttackHost } from "./attack-host.ts";
import { attackSettings, isRoot, optionsOf, OTHER_UID } from "./attack-settings.ts";

const run = promisify(execFile);
let target: AttackHost;

interface Refusal {
  readonly status: number;
  readonly code: unknown;
}

/** A request with any headers, which `fetch` would not send. */
async function send(
  route: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<Refusal> {
  const request = httpRequest(`${target.host.url}${route}`, { method, headers });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, code: codeIn(await bodyOf(response)) };
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of response) text += String(part);
  return text;
}

function codeIn(text: string): unknown {
  return text.startsWith("{") ? (JSON.parse(text) as { code?: unknown }).code : undefined;
}

/** How a WebSocket with these headers is refused; 101 if it is accepted. */
async function openSocket(query: string, headers: Readonly<Record<string, string>>): Promise<Refusal> {
  const socket = new WebSocket(`${target.host.url.replace("http", "ws")}/ahp${query}`, { headers });
  return new Promise((resolve, reject) => {
    socket.on("open", () => {
      socket.close();
      resolve({ status: 101, code: undefined });
    });
    socket.on("unexpected-response", (_request, response) => {
      void bodyOf(response).then((text) => resolve({ status: response.statusCode ?? 0, code: codeIn(text) }));
    });
    socket.on("error", reject);
  });
}

/** The newest refusals of the audit, as `CODE subject`. */
async function refusals(): Promise<string[]> {
  const entries = await target.audit(undefined, "refusal");
  return entries.map(({ outcome, subject }) => `${String(outcome).split(":", 1)[0]} ${String(subject)}`);
}

describe.each(attackSettings("own"))("as $user, backend $backend", (setting) => {
  beforeAll(async () => {
    target = await AttackHost.start({ apps: { enabled: true } }, optionsOf(setting));
  });
  afterAll(() => target.close());

  describe("[A11] a name that somebody else lets resolve to this machine", () => {
    it.each([
      "evil.example",
      "evil.example:4747",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "[::ffff:1.2.3.4]",
      "0",
    ])("[A11] Host %j gets nothing, even with the token", async (host) => {
      for (const route of ["/", "/sdk/acp/sessions", "/healthz"]) {
        const headers = { host, "x-api-key": target.host.token };
        expect([route, await send(route, headers)]).toEqual([
          route,
          { status: 403, code: "HOST_NOT_ALLOWED" },
        ]);
      }
      const socket = await openSocket(`?tkn=${target.host.token}`, { host });
      expect(socket).toEqual({ status: 403, code: "HOST_NOT_ALLOWED" });
    });

    it("[A711] is in the audit, without the token", async () => {
      const found = await refusals();
      expect(found).toContainEqual(expect.stringMatching(/^HOST_NOT_ALLOWED GET \/sdk\/acp\/sessions from /));
      expect(found).toContainEqual(expect.stringMatching(/^HOST_NOT_ALLOWED WebSocket \/ahp from /));
      expect(JSON.stringify(await target.audit(undefined))).not.toContain(target.host.token);
    });
  });

  describe("[A12] a page of another origin", () => {
    const origins = ["http://evil.example", "https://evil.example", "null", "http://127.0.0.1:1", "file://"];

    it("[A12] acts with no cookie, and opens no WebSocket with a cookie or a ticket", async () => {
      const link = (await target.holdfast("open", "--print")).output.trim();
      const signedIn = await fetch(link, { redirect: "manual" });
      const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      expect(cookie).not.toBe("");
      const { body } = await target.call("POST", "/admin/tickets");
      const ticket = String(body["ticket"]);
      const refused = { status: 403, code: "ORIGIN_NOT_ALLOWED" };
      for (const origin of origins) {
        const headers = { origin, cookie, "x-holdfast-page": "1" };
        expect([origin, await send("/admin/keys", headers)]).toEqual([origin, refused]);
        expect([origin, await openSocket("", { origin, cookie })]).toEqual([origin, refused]);
        expect([origin, await openSocket(`?ticket=${ticket}`, { origin })]).toEqual([origin, refused]);
      }
      // The ticket is not used up by pages that may not use it.
      expect(await openSocket(`?ticket=${ticket}`, {})).toEqual({ status: 101, code: undefined });
      expect(await refusals()).toContainEqual(expect.stringMatching(/^ORIGIN_NOT_ALLOWED WebSocket/));
    });
  });

  describe.runIf(isRoot)("[A625] another user of the machine", () => {
    /** Runs a program as that user; its output, or its error. */
    async function asOther(program: string, ...args: string[]): Promise<string> {
      try {
        const { stdout } = await run(program, args, { uid: OTHER_UID, gid: OTHER_UID, cwd: "/" });
        return stdout;
      } catch (error) {
        return (error as { stderr?: string }).stderr ?? String(error);
      }
    }

    it("[A625] gets nothing with the id of a granted app, and the audit has it", async () => {
      const grant = { permissions: ["acp.agent", "terminal"], name: "Notes" };
      expect((await target.call("POST", "/admin/apps/notes/grant", grant)).status).toBe(200);
      const url = `${target.host.url}/sdk/acp/sessions`;
      const output = await asOther("curl", "-s", "-m", "10", "-H", "x-app-id: notes", url);
      expect(output).toContain("APP_ID_NOT_ALLOWED");
      expect(await asOther("curl", "-s", "-m", "10", url)).toMatch(/UNAUTHORIZED|MISSING_APP_ID/);
      expect(await refusals()).toContainEqual(expect.stringMatching(/^APP_ID_NOT_ALLOWED GET/));
    });

    it("[A625] reads no file of the host and ends no process of it", async () => {
      const { home, pid, token } = target.host;
      for (const file of ["token", "holdfast.db", "config.jsonc", "host.json"]) {
        expect(await asOther("cat", path.join(home, file))).toContain("Permission denied");
      }
      expect(await asOther("ls", home)).toContain("Permission denied");
      expect(await asOther("cat", `/proc/${pid}/environ`)).toContain("Permission denied");
      expect(await asOther("kill", "-9", String(pid))).toMatch(/not permitted/i);
      expect(await asOther("sh", "-c", "cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' '")).not.toContain(
        token,
      );
    });
  });
});
