// Shows that holdfast-ahp-check passes our host in every version, and fails a host with each of some faults.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { CHECKED_VERSIONS } from "../../packages/cli/src/ahp-check/check-client.ts";
import { main } from "../../packages/cli/src/ahp-check/command-line.ts";
import { describeReport, runChecks } from "../../packages/cli/src/ahp-check/run-checks.ts";
import { testedPackage } from "../setup/tested-program.ts";
import { useServedHosts } from "./served-host.ts";
import { type Fault, type Frame, SpoilingProxy } from "./spoiling-proxy.ts";

const serveHost = useServedHosts();
const usual = ["0.1.0", "0.6.0", "0.9.0", "1.0.0"] as const;
/** The versions that clients of our time offer; the long tests check those between them, too. */
const versions = process.env["HOLDFAST_LONG"] === undefined ? usual : CHECKED_VERSIONS;

type Action = Readonly<Record<string, unknown>>;

const actionOf = ({ method, params }: Frame): Action | undefined =>
  method === "action" ? (params?.["action"] as Action) : undefined;

/** Spoils what the host sends, frame by frame. */
const toClient = (spoil: (frame: Frame) => readonly Frame[]): Fault => ({
  connect: () => ({ toClient: spoil }),
});

/** Changes the params of actions. */
const actions = (change: (params: Action, action: Action) => Action): Fault =>
  toClient((frame) => {
    const action = actionOf(frame);
    return action === undefined ? [frame] : [{ ...frame, params: change(frame.params ?? {}, action) }];
  });

/** Changes results that have a member. */
const results = (member: string, change: (result: Action) => object): Fault =>
  toClient((frame) => {
    const { result } = frame;
    const isIt = typeof result === "object" && result !== null && member in result;
    return [isIt ? { ...frame, result: change(result as Action) } : frame];
  });

const without = (from: Action, name: string): Action =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));

/** Answers a request in the host's place. */
const answered = (method: string, result: object): Fault => ({
  connect: () => {
    const ids = new Set<unknown>();
    return {
      toHost: (frame) => {
        if (frame.method === method) ids.add(frame.id);
        return [frame];
      },
      toClient: (frame) => (ids.has(frame.id) && frame.error ? [{ id: frame.id, result }] : [frame]),
    };
  },
});

/** The check that finds each fault. */
const faults: readonly (readonly [name: string, check: string, fault: Fault])[] = [
  [
    "another version than offered",
    "K1",
    results("protocolVersion", (result) => ({ ...result, protocolVersion: "0.0.2" })),
  ],
  [
    "no ping before initialize",
    "K2",
    toClient((frame) => [
      frame.result === null ? { id: frame.id, error: { code: -32601, message: "no" } } : frame,
    ]),
  ],
  [
    "no supportedVersions",
    "K3",
    toClient((frame) => [
      frame.error?.["code"] === -32005 ? { ...frame, error: without(frame.error, "data") } : frame,
    ]),
  ],
  ["an unknown method that succeeds", "K4", answered("noSuchMethod", {})],
  [
    "a state of a channel that does not exist",
    "K5",
    answered("subscribe", { snapshot: { state: {}, fromSeq: 1 } }),
  ],
  [
    "a terminal that is not listed",
    "K10",
    toClient((frame) => (actionOf(frame)?.["type"] === "root/terminalsChanged" ? [] : [frame])),
  ],
  [
    "the exit of another version",
    "K11",
    results("snapshot", ({ snapshot }) => {
      const { state, ...rest } = snapshot as { state: Action };
      return { snapshot: { ...rest, state: { ...without(state, "lifecycle"), exitCode: 0 } } };
    }),
  ],
  [
    "numbers that do not increase",
    "K13",
    actions((params) => ({ ...params, serverSeq: Number.MAX_SAFE_INTEGER })),
  ],
  ["an origin that is null", "K13", actions((params) => ({ origin: null, ...params }))],
  ["an echo without its origin", "K14", actions((params) => without(params, "origin"))],
  [
    "an echo that is sent twice",
    "K14",
    toClient((frame) => (actionOf(frame)?.["title"] === "renamed" ? [frame, frame] : [frame])),
  ],
  [
    "an action that runs twice",
    "K15",
    {
      connect: () => {
        let next = 1000;
        return {
          toHost: (frame) =>
            frame.method === "dispatchAction"
              ? [{ ...frame, params: { ...frame.params, clientSeq: (next += 1) } }]
              : [frame],
        };
      },
    },
  ],
  ["a rejection without its reason", "K16", actions((params) => without(params, "rejectionReason"))],
  [
    "an exit without its code",
    "K18",
    actions((params, action) => ({ ...params, action: without(action, "exitCode") })),
  ],
  [
    "output that is lost",
    "K19",
    actions((params, action) =>
      String(action["data"]).includes("n19n") ? { ...params, action: { ...action, data: "" } } : params,
    ),
  ],
  [
    "a replay that lacks an action",
    "K20",
    results("actions", ({ actions: all, ...result }) => ({
      ...result,
      actions: (all as readonly { action: Action }[]).filter(
        ({ action }) => action["title"] !== "while away",
      ),
    })),
  ],
  [
    "output after unsubscribe",
    "K21",
    { connect: () => ({ toHost: (frame) => (frame.method === "unsubscribe" ? [] : [frame]) }) },
  ],
];

test("[E790] [E791] our host passes all checks in every version, and a host with a fault fails the check for it", async () => {
  const host = await serveHost();
  const report = await runChecks({ url: host.address(), versions, timeoutMs: 20_000 });
  expect(report.failed === 0 ? "" : describeReport(report)).toBe("");
  expect(report.passed).toBe(versions.length * 20);
  expect(JSON.stringify(report)).not.toContain(host.token);

  const proxy = await SpoilingProxy.open(host.address());
  onTestFinished(() => proxy.close());
  const check = (id: string): ReturnType<typeof runChecks> =>
    runChecks({ url: proxy.url, versions: ["0.9.0"], only: [id], timeoutMs: 2000 });
  for (const [name, id, fault] of faults) {
    proxy.plant(undefined);
    expect({ name, failed: (await check(id)).failed }).toEqual({ name, failed: 0 });
    proxy.plant(fault);
    expect({ name, failed: (await check(id)).failed }).toEqual({ name, failed: 1 });
  }
  expect(host.faults).toEqual([]);
}, 180_000);

test("[C830] holdfast-ahp-check prints a report for people or as JSON, and says by its exit code how it went", async () => {
  const host = await serveHost();
  const run = async (...args: string[]): Promise<{ code: number; printed: string; complaint: string }> => {
    let printed = "";
    let complaint = "";
    const code = await main(args, {
      print: (text) => (printed += text),
      complain: (text) => (complaint += text),
    });
    return { code, printed, complaint };
  };
  const readable = await run("--versions", "1.0.0", "--only", "K1,K2", host.address());
  expect(readable.code).toBe(0);
  expect(readable.printed).toContain("  ok   K2   ping is answered before initialize");
  expect(readable.printed).toContain("2 passed, 0 failed.");
  expect(readable.printed).not.toContain(host.token);
  const json = await run("--json", "--versions", "0.1.0", "--only", "K1", "ws://127.0.0.1:1/");
  expect(json.code).toBe(1);
  expect(JSON.parse(json.printed)).toMatchObject({
    failed: 1,
    versions: [{ version: "0.1.0", checks: [{ id: "K1", outcome: "failed" }] }],
  });
  for (const wrong of [
    ["http://127.0.0.1/"],
    [],
    ["--only", "K99", "ws://x"],
    ["--versions", "3", "ws://x"],
    ["--none"],
  ]) {
    const { code, printed, complaint } = await run(...wrong);
    expect({ code, printed }).toEqual({ code: 2, printed: "" });
    expect(complaint).toContain("Usage: holdfast-ahp-check");
  }
  const program = path.join(testedPackage, "cli", "dist", "ahp-check", "main.js");
  const { stdout } = await promisify(execFile)(process.execPath, [program, "--list"]);
  expect(stdout).toContain("K22");
});
