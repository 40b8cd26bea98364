// Attacks on the host from inside of sandboxes: a command and the agent itself, with each backend, level and kind of user.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lastingFolder } from "../../packages/core/src/testing/lasting-folder.ts";
import { testedProgram } from "../setup/tested-program.ts";
import { AttackHost } from "./attack-host.ts";
import { isLong, isRoot, ORDINARY_UID } from "./attack-settings.ts";
import type { HostileStep, StepOutcome } from "./hostile-step.ts";
import { isBreach, type Trick, type TrickSetting, tricks } from "./sandbox-tricks.ts";

interface Setting extends TrickSetting {
  /** The user of the host, where it is not the tests' own. */
  readonly uid?: number;
}

const levels = ["guard", "workspace"] as const;

/** Every way in which this machine may isolate, for the tests' user and, as root, for an ordinary one. */
function settings(): Setting[] {
  const own = isRoot ? "bubblewrap-root" : "bubblewrap-user";
  const short: Setting = { backend: own, level: "workspace" };
  const ordinary: Setting = { backend: "bubblewrap-user", level: "guard", uid: ORDINARY_UID };
  if (!isLong) return isRoot ? [short, ordinary] : [short];
  const variants = (backend: string): string[] => [
    ...["", "+util-linux", "+shared", "+util-linux+shared"].map((variant) => backend + variant),
    "landlock",
  ];
  const rows = (backends: readonly string[], user: object): Setting[] =>
    backends.flatMap((backend) => levels.map((level) => ({ backend, level, ...user })));
  return [
    ...rows(variants(own), {}),
    ...(isRoot ? rows(variants("bubblewrap-user"), { uid: ORDINARY_UID }) : []),
  ];
}

/** Starts a host with a policy file outside its home, and with credentials in the user's folder. */
async function startHost(backend: string, uid?: number): Promise<AttackHost> {
  const target = await AttackHost.start(
    { policy: "../project/../policy.jsonc" },
    {
      uid,
      environment: {
        HOLDFAST_SANDBOX_BACKENDS: backend,
        DEPLOY_TOKEN: "leaked-deploy",
        AWS_SECRET_ACCESS_KEY: "leaked-aws",
        DATABASE_PASSWORD: "leaked-database",
      },
      // Temporary folders are writable under `workspace`.
      parent: lastingFolder(),
      prepare: prepareUser,
    },
  );
  return target;
}

function prepareUser(folder: string): void {
  writeFileSync(path.join(folder, "policy.jsonc"), "{}");
  const user = path.join(folder, "user");
  const secrets = [".ssh/id_test", ".aws/credentials", ".netrc"];
  for (const name of [".ssh", ".aws", "repository/.git/hooks"]) {
    mkdirSync(path.join(user, name), { recursive: true });
  }
  for (const name of secrets) writeFileSync(path.join(user, name), "CREDENTIAL");
  for (const name of [".bashrc", "repository/.git/config"]) writeFileSync(path.join(user, name), "");
}

/** The line with its variables. */
function withVariables({ host }: AttackHost, line: string): string {
  const folder = path.dirname(host.home);
  const variables = {
    HOME_FOLDER: host.home,
    HOST_PID: host.pid,
    HELPER_PID: readFileSync(`/proc/${host.pid}/task/${host.pid}/children`, "utf8").trim().split(" ")[0],
    PROGRAM: testedProgram,
    POLICY: path.join(folder, "policy.jsonc"),
    CONFIG: path.join(host.home, "config.jsonc"),
    NODE: process.execPath,
    USER_FOLDER: path.join(folder, "user"),
  };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  return `${assignments.join(" ")}; ${line}`;
}

/** Tries every line as a command and as the agent; gives the outcomes in pairs. */
async function tryAll(target: AttackHost, key: string, lines: readonly string[]): Promise<StepOutcome[]> {
  const steps = lines.flatMap((line) => {
    const script = withVariables(target, line);
    return [
      { do: "terminal", command: "/bin/sh", args: ["-c", `exec 2>&1; ${script}`] } as const,
      { do: "run", line: script } as const,
    ];
  });
  return [...(await target.play(key, steps)).outcomes];
}

function nameOf(list: readonly Trick[], index: number): string {
  return `${index % 2 === 0 ? "a command" : "the agent"} by ${list[Math.floor(index / 2)]?.name}`;
}

describe.runIf(process.platform === "linux").each(settings())(
  "[T640] $level by $backend, user $uid",
  ({ backend, level, uid }) => {
    let target: AttackHost;
    let key: string;
    let isThere: boolean;

    beforeAll(async () => {
      target = await startHost(backend, uid);
      key = await target.open({ approvalPolicy: "approve-all", isolation: level });
      isThere = (await target.isolationOf(key))["level"] === level;
    });
    afterAll(() => target.close());

    it("[V640] nothing gets through, and every command is in the audit", async (context) => {
      context.skip(!isThere, `this machine has no ${backend}`);
      const list = tricks.filter(({ isStopped }) => isStopped?.({ backend, level }) ?? true);
      const outcomes = await tryAll(
        target,
        key,
        list.map(({ line }) => line),
      );
      const breaches = outcomes.flatMap(({ output, error }, index) =>
        output === undefined || isBreach(output, target.host.token)
          ? [`${nameOf(list, index)}: ${output ?? error}`]
          : [],
      );
      expect(breaches).toEqual([]);
      const commands = await target.audit(key, "command");
      expect(commands).toHaveLength(list.length);
      const isolation = `${level} (${backend.split("+")[0]})`;
      for (const entry of commands) expect(entry).toMatchObject({ isolation, outcome: "started" });
      expect(readFileSync(path.join(target.host.home, "token"), "utf8").trim()).toBe(target.host.token);
      expect((await target.call("GET", "/healthz")).status).toBe(200);
    }, 120_000);

    it("[T630] neither Node nor the programs that make the sandbox can be changed", async (context) => {
      context.skip(!isThere || backend === "landlock", `${backend} does not protect them`);
      const programs = ["node", "bwrap", "nsenter", "setpriv", "setsid"];
      const line = `for f in "$NODE" ${programs
        .slice(1)
        .map((name) => `/usr/bin/${name}`)
        .join(
          " ",
        )}; do [ -e "$f" ] && (: >> "$f") 2>/dev/null && echo "BREACH $f"; done; rm -f "$NODE" 2>/dev/null && echo BREACH; true`;
      const outcomes = await tryAll(target, key, [line]);
      const isJoiner = backend.includes("util-linux");
      for (const { output = "" } of outcomes) {
        const changed = output.match(/^BREACH.*$/gm) ?? [];
        // Programs that this sandbox does not use are as writable as they always were, under `guard` and to root.
        expect(changed.filter((each) => isJoiner || !/nsenter|setpriv|setsid/.test(each))).toEqual([]);
      }
    });

    it("[V640] the state names what the backend does not stop", async (context) => {
      context.skip(!isThere, `this machine has no ${backend}`);
      const { gaps = [] } = await target.isolationOf(key);
      const said = (gaps as string[]).join(" ");
      const cannotHideProcesses = /shared|landlock/.test(backend);
      expect(said.includes("can be seen and signalled")).toBe(cannotHideProcesses);
      for (const gap of ["Pipes of other commands", "Sockets in hidden folders"]) {
        expect(said.includes(gap)).toBe(backend === "landlock");
      }
    });

    it("[V630] a session around the home gets neither the token nor the policy, directly or through the host", async (context) => {
      context.skip(!isThere, `this machine has no ${backend}`);
      const { home, pid } = target.host;
      const around = await target.open({
        approvalPolicy: "approve-all",
        isolation: level,
        cwd: path.dirname(home),
      });
      const call = (method: string, file: string): HostileStep => ({
        do: "call",
        method: `fs/${method}_text_file`,
        params: { path: file, content: "{}" },
      });
      const files = [
        `${home}/token`,
        `/proc/self/root${home}/token`,
        "/proc/self/environ",
        `/proc/${pid}/maps`,
      ];
      const policy = path.join(path.dirname(home), "policy.jsonc");
      const written = [policy, `${home}/config.jsonc`, `${home}/new`, testedProgram, "/proc/self/comm"];
      const calls = [
        ...files.map((file) => call("read", file)),
        ...written.map((file) => call("write", file)),
      ];
      const own = [`cat '${home}/token'; (: >> '${policy}') && echo BREACH`].flatMap((line) => [
        { do: "run", line } as const,
        { do: "terminal", command: "/bin/sh", args: ["-c", line] } as const,
      ]);
      const { outcomes } = await target.play(around, [...own, ...calls]);
      const printed = outcomes.slice(0, 2).map(({ output = "" }) => output);
      expect(printed.filter((output) => isBreach(output, target.host.token))).toEqual([]);
      expect(outcomes.slice(2).map(({ code }) => code)).toEqual(calls.map(() => -32_009));
      for (const what of ["file-read", "file-write"]) {
        const entries = await target.denials(around, what);
        expect(entries).toHaveLength((what === "file-read" ? files : written).length);
        for (const entry of entries) expect(entry).toMatchObject({ by: "isolation" });
      }
    });

    it("[V643] under workspace, commands have no secrets in their environment", async (context) => {
      context.skip(!isThere || level !== "workspace", "guard keeps the environment");
      const [command] = (await target.play(key, [{ do: "terminal", command: "env" }])).outcomes;
      expect(command?.output).toMatch(/^PATH=/m);
      expect(command?.output).not.toMatch(/leaked-|forwarded-key/);
      expect(command?.output).not.toContain(target.host.token);
    });

    it("[A626] a stolen token opens nothing, wherever a process hides from its parents", async (context) => {
      context.skip(!isThere, `this machine has no ${backend}`);
      const request = `curl -s -m 5 ${target.host.url}/admin/keys -H x-api-key:${target.host.token}`;
      const lines = [
        request,
        `env -i ${request}`,
        `setsid -w env -i ${request}`,
        // Namespaces hold even what has neither parents nor variables.
        ...(/shared|landlock/.test(backend)
          ? []
          : [
              `(setsid env -i sh -c '(setsid sleep 0.2; ${request} > out) &' &); while ! [ -s out ]; do sleep 0.05; done; cat out; rm out`,
            ]),
      ];
      const outcomes = await tryAll(target, key, lines);
      for (const { output } of outcomes) expect(output).toContain('"code":"CALLER_IS_AGENT"');
      expect(await target.denials(undefined, "refusal")).toHaveLength(outcomes.length);
    });
  },
);

/** Of the hosts without a backend; in the short form, which isolates them with each backend, one of the users. */
const uidsWithoutBackend = isRoot ? [ORDINARY_UID, ...(isLong ? [undefined] : [])] : [undefined];

describe.runIf(process.platform === "linux").each(uidsWithoutBackend)(
  "[V644] without any backend, user %s",
  (uid) => {
    let target: AttackHost;

    beforeAll(async () => {
      target = await startHost("none", uid);
    });
    afterAll(() => target.close());

    it("[V644] the state says that nothing is isolated, and why; the token is readable, but its use is refused", async () => {
      const key = await target.open({ approvalPolicy: "approve-all" });
      const state = await target.isolationOf(key);
      expect(state).toMatchObject({ wanted: "guard", level: "none", backend: "none" });
      expect(state["reason"]).toMatch(/^This machine cannot isolate processes/);
      const outcomes = await tryAll(target, key, [
        'cat "$HOME_FOLDER/token"',
        `curl -s -m 5 ${target.host.url}/admin/keys -H "x-api-key: $(cat ${target.host.home}/token)"`,
      ]);
      expect(outcomes.slice(0, 2).map(({ output }) => output?.trim())).toEqual([
        target.host.token,
        target.host.token,
      ]);
      for (const { output } of outcomes.slice(2)) expect(output).toContain("CALLER_IS_AGENT");
      expect(await target.audit(undefined, "refusal")).toHaveLength(2);
      const said = (await target.audit(key, "command")).map(({ isolation }) => isolation);
      expect(said.filter((each) => each !== "none (none)")).toEqual([]);
      const required = await target.call("POST", "/sdk/acp/session", {
        agent_id: "hostile",
        cwd: target.host.project,
        isolation: "workspace",
      });
      expect(required.status).toBe(200);
    });
  },
);
