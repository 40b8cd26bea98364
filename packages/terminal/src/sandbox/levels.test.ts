// The rules of runs hold at every isolation level and with every backend (T700): their tests run again in sandboxes.
import process from "node:process";
import { describe, expect, it } from "vitest";
import { runAtLevel } from "../testing/level-run.ts";

const isRoot = process.getuid?.() === 0;
const isLong = process.env["HOLDFAST_LONG"] !== undefined;

/** All tests of rules about runs; those of views and screens start no process. */
const files = [
  "process/spawner.test.ts",
  "process/input.test.ts",
  "process/environment.test.ts",
  "process/read-budget.test.ts",
  "process/helper-launcher.test.ts",
  "process/limits.test.ts",
  "process/run-request.test.ts",
  "process/start-gate.test.ts",
  "process/tree/tree.test.ts",
  "process/tree/shared-limits.test.ts",
  "shell-integration/shells.test.ts",
  "shell-integration/start-up-files.test.ts",
  "everyday.test.ts",
  "acp/acp-terminals.test.ts",
  "acp/close-session.test.ts",
  "acp/requested-limits.test.ts",
];

/** For every run of the tests: what a child gets, its status, its end and its survivors. */
const sample = {
  files: ["process/spawner.test.ts", "process/tree/tree.test.ts"],
  titles: /\[T(?:1|6|7|8|9|12|24)\]/,
  atLeast: 15,
};
const whole = { files, atLeast: 150 };

function backendsOf(asRoot: boolean): string[] {
  const own = asRoot ? "bubblewrap-root" : "bubblewrap-user";
  // Root that shares the machine's PIDs needs Landlock, which util-linux cannot set.
  const variants = ["", "+util-linux", "+shared", ...(asRoot ? [] : ["+util-linux+shared"])];
  return [...variants.map((variant) => `${own}${variant}`), "landlock"];
}

const [own = ""] = backendsOf(isRoot);
const rows = isLong
  ? (isRoot ? [false, true] : [false]).flatMap((asUser) =>
      backendsOf(isRoot && !asUser).flatMap((backend) =>
        (["guard", "workspace"] as const).map((level) => ({ level, backend, asUser, ...whole })),
      ),
    )
  : [{ level: "guard", backend: own, asUser: false, ...sample } as const];

describe.runIf(process.platform === "linux")("the rules of runs", () => {
  it.each(rows)(
    "[T700] hold under $level by $backend (as an ordinary user: $asUser)",
    { timeout: 900_000 },
    async ({ atLeast, ...row }) => {
      const { passed, failures } = await runAtLevel(row);
      expect(failures).toEqual([]);
      expect(passed).toBeGreaterThanOrEqual(atLeast);
    },
  );
});
