// Rules of the policy file in real sessions: what they deny is not run, what they allow is not asked about.
import { existsSync } from "node:fs";
import path from "node:path";
import { Policy } from "@holdfast/terminal/policy";
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { ask } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const policy = new Policy({
  source: "policy.jsonc",
  rules: [
    { id: "no touching", effect: "deny", command: "touch **" },
    { id: "printing", effect: "allow", command: "echo **", cwd: "$ROOT/**" },
    { id: "no secrets", effect: "deny", paths: "/**/secret/**" },
  ],
});

test("[V688] a rule that denies wins over the session's policy; the audit names it", async () => {
  const steps = [
    ask("touched", "terminal/create", { command: "echo a && touch b" }),
    ask("echoed", "terminal/create", { command: "echo a" }),
    ask("written", "fs/write_text_file", { path: "/nowhere/secret/a", content: "x" }),
  ];
  const host = newHost({
    agents: { mine: { prompts: { go: steps } } },
    policy: { current: () => ({ policy }) },
  });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.turn("go");
  const denied = 'denied by rule "no touching" of policy.jsonc';
  expect(await session.agent.answer("touched")).toMatchObject({
    error: { message: expect.stringContaining(denied) as string },
  });
  const written = expect.stringContaining('rule "no secrets"') as string;
  expect(await session.agent.answer("written")).toMatchObject({ error: { message: written } });
  expect(await session.agent.result("echoed")).toHaveProperty("terminalId");
  expect(existsSync(path.join(host.work, "b"))).toBe(false);
  const entries = host.host.readAudit({ limit: 50 }, { kind: "owner" });
  expect(entries.find(({ subject }) => subject.includes("touch b"))).toMatchObject({ rule: "no touching" });
});
