// Isolation of sessions: their agents and commands run in a sandbox, their state says which, and keys get no weaker one.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeId } from "@holdfast/ahp";
import { Spawner } from "@holdfast/terminal/process";
import { forwardTo, type ProcessPort } from "@holdfast/terminal/port";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Submission } from "../submit/submission.ts";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHost, useFakeHosts, type FakeHostOptions } from "../testing/fake-host.ts";
import { ask, type Step } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();
const secretsFolder = path.join(tmpdir(), `holdfast-secrets-${process.pid}`);
afterAll(() => rmSync(secretsFolder, { recursive: true, force: true }));
const app = { kind: "app", appId: makeId("app", "some-app") } as const;

/** Runs a command in a terminal of the host and gives its output. */
function run(name: string, command: string): Step[] {
  const terminalId = `$${name}.terminalId`;
  return [
    ask(name, "terminal/create", { command }),
    ask(`${name}Exit`, "terminal/wait_for_exit", { terminalId }),
    ask(`${name}Output`, "terminal/output", { terminalId }),
    ask(`${name}Release`, "terminal/release", { terminalId }),
  ];
}

/** A host whose secrets lie in a folder that it hides. */
function guardedHost(options: FakeHostOptions & { readonly level?: string } = {}): {
  readonly host: FakeHost;
  readonly secrets: string;
} {
  const secrets = secretsFolder;
  mkdirSync(path.join(secrets, "shared"), { recursive: true });
  writeFileSync(path.join(secrets, "token"), "the-token");
  const host = newHost({
    config: { isolation: { level: options.level ?? "guard" } },
    paths: { hidden: [secrets], readOnly: [], private: [path.join(secrets, "spool")] },
    ...options,
  });
  return { host, secrets };
}

/** One that finds no backend; hosts that share it must not close it. */
function unableProcessPort(): ProcessPort {
  vi.stubEnv("HOLDFAST_SANDBOX_BACKENDS", "nothing");
  const spawner = new Spawner({ environment: { PATH: process.env["PATH"] } });
  vi.unstubAllEnvs();
  afterAll(() => spawner.close());
  return forwardTo(spawner, { close: () => Promise.resolve() });
}

const unable = unableProcessPort();
const isLinux = process.platform === "linux";

describe.runIf(isLinux)("an isolated session", () => {
  test("[V640] hides the host's files from its agent and its commands, and says so in its state", async () => {
    const steps = (secrets: string): Step[] => [
      { do: "spawn", line: `cat ${secrets}/token > agent-saw 2>&1; echo over >> agent-saw` },
      ...run("look", `cat ${secrets}/token; echo over`),
    ];
    const secrets = secretsFolder;
    const { host } = guardedHost({ agents: { mine: { prompts: { go: steps(secrets) } } } });
    const session = await host.open();
    await session.turn("go");
    expect(await session.agent.result("lookOutput")).toMatchObject({
      output: `cat: ${secrets}/token: No such file or directory\nover\n`,
    });
    const seen = path.join(host.work, "agent-saw");
    await vi.waitFor(() => expect(readFileSync(seen, "utf8")).toContain("over"));
    expect(readFileSync(seen, "utf8")).not.toContain("the-token");
    expect(session.status.isolation).toMatchObject({ wanted: "guard", level: "guard" });
    const { backend } = session.status.isolation ?? {};
    expect(host.host.audit.recent.find(({ what }) => what === "command")?.isolation).toBe(
      `guard (${backend})`,
    );
  });

  test("[V641] lets a later command end what an earlier one left, and lists it for people", async () => {
    const { host } = guardedHost({
      agents: {
        mine: {
          prompts: {
            go: [
              ...run("start", "sleep 1000 > /dev/null 2>&1 & echo $! > pid; echo started"),
              ...run("end", "kill $(cat pid) && echo ended"),
            ],
          },
        },
      },
    });
    const session = await host.open();
    await session.turn("go");
    expect(await session.agent.result("endOutput")).toMatchObject({ output: "ended\n" });
  });

  test("[V642] works in a folder below the hidden one, unless that is the host's own", async () => {
    const { host, secrets } = guardedHost({
      agents: { mine: { prompts: { go: run("look", "ls -A ..; pwd; echo made > file") } } },
    });
    const session = await host.open({ cwd: path.join(secrets, "shared") });
    await session.turn("go");
    expect(await session.agent.result("lookOutput")).toMatchObject({
      output: `shared\n${path.join(secrets, "shared")}\n`,
    });
    expect(existsSync(path.join(secrets, "shared", "file"))).toBe(true);
  });

  test("[V643] under workspace changes nothing but its folders, and its commands have no secrets", async () => {
    const line = "echo made > file && cat file; touch /usr/holdfast-was-here; echo $GITHUB_TOKEN$KEPT_TOKEN";
    const { host } = guardedHost({
      config: { isolation: { level: "workspace", keepSecrets: ["KEPT_TOKEN"] } },
      environment: { GITHUB_TOKEN: "secret", KEPT_TOKEN: "kept" },
      agents: { mine: { prompts: { go: run("work", line) } } },
    });
    const session = await host.open();
    await session.turn("go");
    const { output } = (await session.agent.result("workOutput")) as { output: string };
    expect(output).toMatch(/^made\n.*(?:Read-only file system|Permission denied)\nkept\n$/);
    expect(existsSync("/usr/holdfast-was-here")).toBe(false);
    expect(session.status.isolation).toMatchObject({ level: "workspace" });
  });

  test("[V644] is not isolated where the machine cannot, and says why; or is refused where that is required", async () => {
    const { host } = guardedHost({ processPort: unable });
    const session = await host.open();
    expect(session.status.isolation).toMatchObject({ wanted: "guard", level: "none", backend: "none" });
    expect(session.status.isolation?.reason).toContain("cannot isolate processes");
    const { host: strict } = guardedHost({
      processPort: unable,
      config: { isolation: { level: "guard", require: true } },
    });
    await expect(strict.open()).rejects.toMatchObject({ code: "ISOLATION_UNAVAILABLE" });
  });
});

describe.runIf(isLinux)("a person's terminal", () => {
  test("[U641] is not isolated, and an isolated session gets it only after a confirmation", async () => {
    const { host, secrets } = guardedHost();
    const session = await host.open();
    const ann = makeId("client", "ann");
    const shell = { command: "/bin/sh", args: ["-c", `cat ${secrets}/token > seen; read line`] };
    const uri = await host.terminals.create({ clientId: ann, shell, cwd: host.work });
    await vi.waitFor(() => expect(readFileSync(path.join(host.work, "seen"), "utf8")).toBe("the-token"));
    const { resource, defaultChat } = session.state;
    const claim = { kind: "session", session: resource, chat: defaultChat ?? expect.fail() } as const;
    const given = host.terminals.create({ clientId: ann, shell, cwd: host.work, claim });
    await expect(given).rejects.toMatchObject({ code: "TERMINAL_NOT_ISOLATED" });
    const give = (confirmed?: "not-isolated"): Submission =>
      host.terminals.submit(
        uri,
        { type: "terminal/claimed", claim, ...(confirmed && { confirmed }) },
        { clientId: ann, clientSeq: 1 },
      );
    expect(give()).toMatchObject({ outcome: "rejected", code: "TERMINAL_NOT_ISOLATED" });
    expect(give("not-isolated")).toMatchObject({ outcome: "accepted" });
    const takeOver = { type: "terminal/claimed", claim: { kind: "client", clientId: ann } } as const;
    host.terminals.submit(uri, takeOver, { clientId: ann, clientSeq: 2 });
    expect(give()).toMatchObject({ outcome: "accepted" });
  });
});

describe("the level of a session", () => {
  test("[V645] is the owner's choice, and for keys never weaker than the configuration's", async () => {
    const { host } = guardedHost();
    const own = await host.open({ isolation: "none" });
    expect(own.status.isolation).toEqual({ wanted: "none", level: "none" });
    const { host: real } = host;
    const request = { agent_id: "mine", cwd: host.work };
    const weaker = real.createSession({ ...request, isolation: "none" }, app);
    await expect(weaker).rejects.toMatchObject({ code: "ISOLATION_NOT_ALLOWED" });
    const { host: strict } = guardedHost({ config: { isolation: { level: "guard", require: true } } });
    await expect(strict.open({ isolation: "none" })).rejects.toMatchObject({ code: "ISOLATION_NOT_ALLOWED" });
  });
});
