// Commands that an agent asks to run outside of its session's sandbox: a person decides about each, under every policy.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Approval, makeId } from "@holdfast/ahp";
import { readPolicy } from "@holdfast/protocol";
import { afterAll, describe, expect, test, vi } from "vitest";
import { policyOf } from "../policy/host-policy.ts";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHost, type FakeHostOptions, ME, useFakeHosts } from "../testing/fake-host.ts";
import { ask, type Step } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();
const secrets = path.join(tmpdir(), `holdfast-outside-${process.pid}`);
afterAll(() => rmSync(secrets, { recursive: true, force: true }));

const line = `cat ${secrets}/token`;

/** Runs the command inside or outside, and waits for its output. */
function run(name: string, isOutside: boolean): Step[] {
  const terminalId = `$${name}.terminalId`;
  const meta = isOutside ? { _meta: { holdfast: { isolation: "none" } } } : {};
  return [
    ask(name, "terminal/create", { command: line, ...meta }),
    ask(`${name}Exit`, "terminal/wait_for_exit", { terminalId }),
    ask(`${name}Output`, "terminal/output", { terminalId }),
  ];
}

function guardedHost(steps: Step[], options: FakeHostOptions = {}): FakeHost {
  mkdirSync(secrets, { recursive: true });
  writeFileSync(path.join(secrets, "token"), "the-token");
  return newHost({
    config: { isolation: { level: "guard" } },
    paths: { hidden: [secrets], readOnly: [], private: [] },
    agents: { mine: { prompts: { go: steps } } },
    ...options,
  });
}

/** The approval that waits, as soon as there is one. */
async function question(host: FakeHost): Promise<Approval> {
  const waiting = await vi.waitFor(() => host.host.approvals.list(ME)[0] ?? expect.fail("nobody was asked"));
  return waiting.kind === "permission" ? waiting.toolCall.approval : expect.fail("a form");
}

describe.runIf(process.platform === "linux")("a command outside of the sandbox", () => {
  test("[V651] is asked about under approve-all, as not isolated, and the yes covers it alone", async () => {
    const host = guardedHost([...run("out", true), ...run("in", false), ...run("again", true)]);
    const session = await host.open({ approvalPolicy: "approve-all" });
    const turn = session.turn("go");
    const first = await question(host);
    expect(first.subject).toMatchObject({ kind: "command", line, isolation: "not isolated" });
    session.resolve(first.id, "allow_once");
    expect(await session.agent.result("outOutput")).toMatchObject({ output: "the-token" });
    expect(await session.agent.result("inOutput")).toMatchObject({
      output: expect.stringContaining("No such file") as string,
    });
    const second = await question(host);
    expect(second.id).not.toBe(first.id);
    session.resolve(second.id, "reject_once");
    await turn;
    const commands = host.host.audit.recent.filter(({ what }) => what === "command");
    expect(commands.map(({ isolation, decision }) => [isolation?.split(" ")[0], decision])).toEqual([
      ["none", "allowed"],
      ["guard", "allowed"],
      ["none", "denied"],
    ]);
  });

  test.each(["session", "folder"] as const)(
    "[V860] is covered by a rule for this %s that was made of it, and a command inside is not",
    async (scope) => {
      const host = guardedHost([...run("out", true), ...run("again", true), ...run("in", false)]);
      const session = await host.open({ approvalPolicy: "ask" });
      const turn = session.turn("go");
      const decision = { requestId: (await question(host)).id, optionId: "allow-always", scope } as const;
      expect(host.host.approvals.resolve(session.key, decision, ME)).toEqual({ resolved: true });
      expect(await session.agent.result("againOutput")).toMatchObject({ output: "the-token" });
      const inside = await question(host);
      expect(inside.subject).toMatchObject({ line, isolation: expect.stringContaining("guard") as string });
      session.resolve(inside.id, "reject");
      await turn;
      expect(host.host.approvals.listRules(ME)).toMatchObject([
        { scope, subject: { line, isolation: "not isolated" } },
      ]);
    },
  );

  test("[V651] is asked about although the policy file allows it, and denied where that denies it", async () => {
    const policyWith = (effect: "allow" | "deny"): NonNullable<FakeHostOptions["policy"]> => {
      const file = readPolicy({ [effect]: ["cat *"] });
      if (!file.ok) return expect.fail(JSON.stringify(file.problems));
      const policy = policyOf(file.value, "policy.jsonc");
      return { current: () => ({ policy }) };
    };
    const allowing = guardedHost(run("out", true), { policy: policyWith("allow") });
    const session = await allowing.open();
    const turn = session.turn("go");
    session.resolve((await question(allowing)).id, "reject_once");
    await turn;
    const denying = guardedHost(run("out", true), { policy: policyWith("deny") });
    const other = await denying.open({ approvalPolicy: "approve-all" });
    await other.turn("go");
    expect(denying.host.approvals.list(ME)).toEqual([]);
  });

  test("[V651] is refused without a question where isolation is required, and in an app's session", async () => {
    const isolation = { level: "guard", require: true };
    const strict = guardedHost(run("out", true), { config: { isolation } });
    const session = await strict.open({ approvalPolicy: "approve-all" });
    await session.turn("go");
    const host = guardedHost(run("out", true));
    const app = { kind: "app", appId: makeId("app", "some-app") } as const;
    const request = { agent_id: "mine", cwd: host.work, approvalPolicy: "approve-reads" } as const;
    const { session_key: key } = await host.host.createSession(request, app);
    await host.host.chat(key, { message: "go" }, app);
    for (const each of [strict, host]) {
      expect(each.host.approvals.list(ME)).toEqual([]);
      expect(readFileSync(path.join(each.folder, "mine.ndjson"), "utf8")).toContain("ISOLATION_NOT_ALLOWED");
    }
  });

  test("[V651] is an ordinary command in a session that is not isolated", async () => {
    const host = guardedHost(run("out", true));
    const session = await host.open({ approvalPolicy: "approve-all", isolation: "none" });
    await session.turn("go");
    expect(await session.agent.result("outOutput")).toMatchObject({ output: "the-token" });
  });
});
