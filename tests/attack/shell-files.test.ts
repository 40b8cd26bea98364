// Attacks on the built-in agent's files: a session looks for what people wrote in other sessions.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AttackHost } from "./attack-host.ts";
import { attackSettings, optionsOf } from "./attack-settings.ts";

let target: AttackHost;

async function run(key: string, message: string): Promise<void> {
  const { status, body } = await target.call("POST", `/sdk/acp/session/${encodeURIComponent(key)}/chat`, {
    message,
  });
  expect([status, body["error"]]).toEqual([200, undefined]);
}

describe.each(attackSettings("ordinary"))("as $user, backend $backend", (setting) => {
  beforeAll(async () => {
    target = await AttackHost.start({}, optionsOf(setting));
  });
  afterAll(() => target.close());

  it("[N710] a session of the built-in agent finds no prompt of another one", async () => {
    const shell = { agent_id: "shell", approvalPolicy: "approve-all" };
    const victim = await target.open(shell);
    await run(victim, "echo a-secret-prompt");
    const attacker = await target.open(shell);
    const { home, project } = target.host;
    const { level } = await target.isolationOf(attacker);
    // The pattern must not find itself in the attacker's own files.
    const look = (folder: string): string => `grep -rlas "a-secret-pro""mpt" "${folder}"`;
    await run(attacker, `{ ${look(home)}; ${look(path.join(home, "agents/shell"))}; } > found; true`);
    const found = readFileSync(path.join(project, "found"), "utf8");
    const own = found.split("\n").filter((line) => line.includes("/agents/shell/"));
    if (level === "none") expect(own).not.toEqual([]);
    else expect(found).toBe("");
    // Each has a folder, which stays for a session that may be reopened and goes with one that is deleted.
    const folders = (): string[] => readdirSync(path.join(home, "agents/shell"));
    expect(folders()).toHaveLength(2);
    await target.call("DELETE", `/sdk/acp/session/${encodeURIComponent(victim)}`);
    expect(folders()).toHaveLength(2);
    await target.call("DELETE", `/sdk/acp/session/${encodeURIComponent(victim)}?purge=true`);
    expect(folders()).toHaveLength(1);
    expect(existsSync(path.join(home, "agents/shell", folders()[0] ?? ""))).toBe(true);
  });
});
