// A real host whose agent tries to read the token and to use the API, by every way that a shell offers.
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, afterAll, describe, expect, it } from "vitest";
import { testedProgram } from "../setup/tested-program.ts";
import { type RealHost, startRealHost } from "./real-host.ts";

let host: RealHost;

async function request(route: string, body?: object): Promise<Record<string, unknown>> {
  const reply = await fetch(`${host.url}${route}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${host.token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await reply.json()) as Record<string, unknown>;
}

/** Opens a session with the built-in agent, which runs each message as a command. */
async function openSession(isolation?: string): Promise<(line: string) => Promise<string>> {
  const options = { agent_id: "shell", cwd: host.project, approvalPolicy: "approve-all" };
  const { session } = (await request("/sdk/acp/session", {
    ...options,
    ...(isolation !== undefined && { isolation }),
  })) as { session: { session_key: string } };
  const address = `/sdk/acp/session/${encodeURIComponent(session.session_key)}`;
  return async (line) => {
    const { response } = (await request(`${address}/chat`, { message: line })) as {
      response: { text: string };
    };
    return response.text;
  };
}

describe.runIf(process.platform === "linux")("[V640] an agent of a real host", () => {
  beforeAll(async () => {
    host = await startRealHost();
  });
  afterAll(() => host.close());

  it.each(["guard", "workspace"])(
    "[V640] under %s never sees the token, whatever it tries",
    async (level) => {
      const run = await openSession(level);
      const file = path.join(host.home, "token");
      const lines = [
        `cat ${file}`,
        `cat /proc/${host.pid}/root${file} /proc/${host.pid}/environ /proc/1/root${file}`,
        `umount ${host.home}; umount -l ${host.home}; cat ${file}`,
        `nsenter -t 1 -m cat ${file}; nsenter -t ${host.pid} -a cat ${file}`,
        `unshare -Urm sh -c 'umount ${host.home}; mount --bind ${path.dirname(host.home)} /mnt; cat ${file} /mnt/home/token'`,
        `mkdir -p bind && mount --bind ${path.dirname(host.home)} bind; cat bind/home/token`,
        `mknod node b 253 0; mknod kmem c 1 2; cat node kmem | head -c 1`,
        `curl -s -m 5 ${host.url}/sdk/acp/sessions -H "authorization: Bearer $(cat ${file})"`,
      ];
      for (const line of lines) {
        expect([line, await run(`(${line}) 2>&1`)].join("\n")).not.toContain(host.token);
      }
      expect(
        await run(`curl -s -o /dev/null -m 5 -w '%{http_code}' ${host.url}/sdk/acp/sessions`),
      ).not.toContain("200");
      expect(readFileSync(file, "utf8").trim()).toBe(host.token);
    },
  );

  it("[V646] names the isolation in /readyz", async () => {
    const { isolation } = (await request("/readyz")) as { isolation: { level: string; backend: string } };
    expect(isolation).toMatchObject({ level: "guard" });
  });

  it("[C640] cannot use holdfast, which says why", async () => {
    const run = await openSession();
    const text = await run(`${process.execPath} ${testedProgram} ls --home ${host.home} 2>&1; echo code $?`);
    expect(text).toContain("Agents and their commands cannot see the host's home");
    expect(text).toContain("code 2");
  });
});
