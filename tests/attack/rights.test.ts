// Attacks on rights: keys that exceed their ceiling, stolen sign-ins, webhooks that look inward, keys that were revoked.
import { symlinkSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WireClient } from "../ahp/wire-client.ts";
import { AttackHost } from "./attack-host.ts";
import { attackSettings, isLong, optionsOf } from "./attack-settings.ts";

let target: AttackHost;
/** A key with the default ceiling. */
let secret: string;

async function makeKey(name: string, ceiling?: object): Promise<{ secret: string; id: string }> {
  const wish = { name, scopes: ["acp.agent", "terminal"], ...(ceiling && { ceiling }) };
  const { body } = await target.call("POST", "/admin/keys", wish);
  return { secret: String(body["secret"]), id: (body["key"] as { id: string }).id };
}

/** A request with the key. */
async function asKey(
  method: string,
  route: string,
  body?: object,
): Promise<{ status: number; code: unknown }> {
  const response = await target.call(method, route, body, { "x-api-key": secret });
  return { status: response.status, code: response.body["code"] };
}

async function refusals(): Promise<number> {
  return (await target.denials(undefined)).length;
}

describe.each(attackSettings("ordinary"))("as $user, backend $backend", (setting) => {
  beforeAll(async () => {
    target = await AttackHost.start({}, optionsOf(setting));
    secret = (await makeKey("default")).secret;
    symlinkSync(target.host.home, path.join(target.host.project, "link-to-home"));
  });
  afterAll(() => target.close());

  describe("[A620] a key with the default ceiling", () => {
    it("[A620] starts nothing above it, and each try is in the audit", async () => {
      const { home, project } = target.host;
      const tries = [
        { approvalPolicy: "approve-all" },
        { cwd: home },
        { cwd: path.join(home, "spool") },
        { cwd: path.join(project, "../home") },
        { cwd: path.join(project, "link-to-home") },
        { cwd: `/proc/self/root${home}` },
      ];
      const before = await refusals();
      for (const wish of tries) {
        const body = { agent_id: "hostile", cwd: project, ...wish };
        expect([wish, await asKey("POST", "/sdk/acp/session", body)]).toEqual([
          wish,
          { status: 403, code: "CEILING_EXCEEDED" },
        ]);
      }
      expect(await refusals()).toBe(before + tries.length);
      expect(
        (await asKey("POST", "/sdk/acp/session", { agent_id: "hostile", cwd: project, isolation: "none" }))
          .code,
      ).toBe("ISOLATION_NOT_ALLOWED");
    });

    it("[A620] keeps to it when a session is changed", async () => {
      const created = await target.call(
        "POST",
        "/sdk/acp/session",
        { agent_id: "hostile", cwd: target.host.project },
        { "x-api-key": secret },
      );
      const key = (created.body["session"] as { session_key: string }).session_key;
      const route = `/sdk/acp/session/${encodeURIComponent(key)}`;
      for (const change of [{ approvalPolicy: "approve-all" }, { cwd: target.host.home }]) {
        expect(await asKey("PATCH", route, change)).toEqual({ status: 403, code: "CEILING_EXCEEDED" });
      }
    });

    it.each([
      ["GET", "/admin/keys"],
      ["POST", "/admin/keys"],
      ["GET", "/admin/audit"],
      ["POST", "/admin/tickets"],
      ["GET", "/admin/apps"],
    ])("[A620] has no way to %s %s", async (method, route) => {
      const body = method === "POST" ? { name: "mine", scopes: ["admin"] } : undefined;
      expect(await asKey(method, route, body)).toEqual({ status: 403, code: "PERMISSION_REQUIRED" });
    });

    it("[A620] does not exceed it over AHP, and reads no file of the host there", async () => {
      const { url, home, token } = target.host;
      // The session's folder holds the home: everything in it is served, except for the host's own files.
      await target.open({ cwd: path.dirname(home) });
      const uri = `file://${home}/token`;
      const clients = [];
      for (const credential of [secret, token]) {
        try {
          const client = await WireClient.open(`${url.replace("http", "ws")}/ahp?tkn=${credential}`);
          clients.push(client);
          await client.initialize({ clientId: `client-${clients.length}` });
          const answer = JSON.stringify(await client.ask("resourceRead", { channel: "ahp-root://", uri }));
          expect(answer).not.toContain(token);
          expect(answer).toContain("error");
          if (credential === token) continue;
          const channel = "ahp-session:/above";
          const config = { approvalPolicy: "approve-all" };
          const workingDirectories = [`file://${target.host.project}`];
          const wish = { channel, provider: "hostile", workingDirectories, config };
          expect(await client.ask("createSession", wish)).toMatchObject({ error: { code: -32_009 } });
        } catch (error) {
          // A key without `admin` may not be accepted there at all.
          if (credential === token) throw error;
          expect(String(error)).toMatch(/40[13]/);
        }
      }
      for (const client of clients) client.socket.close();
    });
  });

  describe("[W620] a webhook of a key", () => {
    const inward = [
      "127.0.0.1",
      "127.1",
      "2130706433",
      "0x7f.0.0.1",
      "0177.0.0.1",
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "0.0.0.0",
      "169.254.169.254",
      "10.0.0.1",
      "172.16.0.1",
      "192.168.0.1",
      "100.64.0.1",
      "[::1]",
      "[::]",
      "[::ffff:127.0.0.1]",
      "[::ffff:a9fe:a9fe]",
      "[::127.0.0.1]",
      "[64:ff9b::7f00:1]",
      "[2002:7f00:1::]",
      "[fe80::1]",
      "[fd00::1]",
      "224.0.0.1",
      "255.255.255.255",
      "１２７.0.0.1",
    ];

    it("[W620] points at nothing on this machine or in private networks", async () => {
      for (const name of inward) {
        const answer = await asKey("POST", "/sdk/webhooks", { url: `http://${name}:9/hook` });
        expect([name, answer]).toEqual([name, { status: 403, code: "WEBHOOK_ADDRESS_NOT_ALLOWED" }]);
      }
    });
  });

  describe("[A626] a stolen sign-in", () => {
    it("[A626] is of no use in an agent's process, and neither is the link", async () => {
      const link = async (): Promise<string> => (await target.holdfast("open", "--print")).output.trim();
      const { headers } = await fetch(await link(), { redirect: "manual" });
      const cookie = (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      expect(cookie).not.toBe("");
      const own = await target.call("GET", "/admin/keys", undefined, { cookie, "x-holdfast-page": "1" });
      expect(own.status).toBe(200);
      const key = await target.open({ approvalPolicy: "approve-all" });
      const lines = [
        `curl -s -m 5 -H 'cookie: ${cookie}' -H 'x-holdfast-page: 1' '${target.host.url}/admin/keys'`,
        `curl -s -m 5 -o - -w '%{http_code}' '${await link()}'`,
      ];
      const { outcomes } = await target.play(
        key,
        lines.map((line) => ({ do: "run", line }) as const),
      );
      expect(outcomes[0]?.output).toContain("CALLER_IS_AGENT");
      expect(outcomes[1]?.output).toMatch(/CALLER_IS_AGENT|403|agent/);
      expect(
        (await target.audit(undefined, "refusal")).filter(({ by }) => by === "agent hostile").length,
      ).toBe(2);
    });
  });

  /** The hostile agent takes no notice of a cancellation, so that the host waits for 10 s before it ends the process. */
  describe.runIf(isLong)("[A623] a revoked key", () => {
    it("[A623] ends its running turn and the commands in it", async () => {
      const made = await makeKey("doomed", { policy: "approve-all", roots: [target.host.project] });
      const headers = { "x-api-key": made.secret };
      const wish = { agent_id: "hostile", cwd: target.host.project, approvalPolicy: "approve-all" };
      const { body } = await target.call("POST", "/sdk/acp/session", wish, headers);
      const key = (body["session"] as { session_key: string }).session_key;
      const route = `/sdk/acp/session/${encodeURIComponent(key)}`;
      const message = JSON.stringify([{ do: "terminal", command: "sleep", args: ["600"] }]);
      const turn = target
        .call("POST", `${route}/chat`, { message }, headers)
        .catch((error: unknown) => ({ status: String(error), body: {} }));
      await expect.poll(async () => (await target.audit(key, "command")).length).toBe(1);
      expect((await target.call("DELETE", `/admin/keys/${made.id}`)).status).toBe(200);
      expect(JSON.stringify(await turn)).not.toContain('"exitCode":0');
      expect((await target.call("GET", route, undefined, headers)).status).toBe(401);
      await expect
        .poll(async () => ((await target.call("GET", route)).body["session"] as { state: string }).state)
        .not.toBe("running");
    });
  });
});
