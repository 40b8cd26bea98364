// Ends trees of every shape by every mechanism, as root and as an ordinary user, and checks with a separate detector.
import { afterAll, describe, expect, it } from "vitest";
import { uniqueSeconds, untilGone } from "../../testing/detector.ts";
import { type ShapeResult, endShapes } from "../../testing/end-shapes.ts";
import { guardLeaks } from "../../testing/leaks.ts";
import { makeSpawner, testedSandbox } from "../../testing/level.ts";
import { OrdinaryUser, cgroupMount } from "../../testing/ordinary-user.ts";
import { recordRun } from "../../testing/record-run.ts";
import { TREE_SHAPES } from "../../testing/tree-shapes.ts";
import type { TreeMechanism } from "../port.ts";
import { pidNamespaceObstacle } from "./pid-namespace.ts";

guardLeaks();
const spawner = makeSpawner();
afterAll(() => spawner.close());

const isRoot = process.getuid?.() === 0;
const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const rules: Record<TreeMechanism, string> = {
  cgroup: "T20",
  "pid-namespace": "T21",
  "process-group": "T22",
};
const mechanisms = Object.keys(rules) as TreeMechanism[];
const escaping = new Set(
  TREE_SHAPES.filter((shape) => shape.escapesGroup === true).map((shape) => shape.name),
);

/** Why a mechanism cannot be tried here. */
async function obstacle(mechanism: TreeMechanism): Promise<string | undefined> {
  if (mechanism === "cgroup" && (!isRoot || cgroupMount() === undefined)) {
    return "a cgroup v2 hierarchy that root may write is missing";
  }
  if (mechanism === "pid-namespace" && testedSandbox !== undefined) return "a sandboxed run cannot have one";
  const reason = mechanism === "pid-namespace" ? await pidNamespaceObstacle() : undefined;
  return reason === undefined ? undefined : `PID namespaces: ${reason}`;
}

function expectNoSurvivors(results: ShapeResult[], mechanism: TreeMechanism): void {
  expect(results).toHaveLength(TREE_SHAPES.length * 2);
  for (const result of results) {
    expect(result).toMatchObject({ mechanism, left: 0, readable: true });
    expect(result.started).toBeGreaterThan(1);
    if (mechanism === "process-group" && escaping.has(result.shape)) continue;
    expect({ shape: result.shape, kind: result.kind, survivors: result.survivors }).toMatchObject({
      survivors: [],
    });
  }
}

describe("ending a tree", () => {
  for (const mechanism of mechanisms) {
    it(
      `[${rules[mechanism]}] by ${mechanism} leaves nothing, as root or the user who runs this`,
      { timeout: 60_000 },
      async (context) => {
        const reason = await obstacle(mechanism);
        if (reason !== undefined) return context.skip(reason);
        expectNoSurvivors(await endShapes(mechanism, makeSpawner()), mechanism);
      },
    );
  }

  it(
    "[T20][T21][T22] by each mechanism leaves nothing as an ordinary user",
    { timeout: 120_000 },
    async (context) => {
      if (!isRoot) return context.skip("only root can create an ordinary user");
      if (testedSandbox !== undefined) return context.skip("another run at this level has an ordinary user");
      const user = new OrdinaryUser();
      try {
        // The short form tries the one that differs most for an ordinary user: cgroups, where they can be written.
        let isDone = false;
        for (const mechanism of mechanisms) {
          if ((isDone && !isLong) || (await obstacle(mechanism)) !== undefined) continue;
          isDone = true;
          expectNoSurvivors(JSON.parse(await user.run(mechanism)) as ShapeResult[], mechanism);
        }
      } finally {
        user.close();
      }
    },
  );

  it("[T22] the one shape that a process group cannot hold is known, and a cgroup holds it", () => {
    expect([...escaping]).toEqual(["env -i setsid"]);
  });

  it("[T23] gives TERM its grace and the output stays complete", async () => {
    const { run, exit, text, seen } = await recordRun(spawner, {
      command:
        "trap 'echo cleaning; sleep 0.1; echo clean; exit 5' TERM; echo ready; while :; do sleep 0.05; done",
    });
    await seen(/ready/);
    expect(await run.end(5000)).toEqual([]);
    expect(await exit()).toMatchObject({ exitCode: 5, signal: null });
    expect(text()).toContain("clean\n");
  });

  it("[T23] kills what ignores TERM after the grace", async () => {
    const { run, exit, seen } = await recordRun(spawner, {
      command: "trap '' TERM; echo ready; while :; do sleep 0.05; done",
    });
    await seen(/ready/);
    const startedMs = performance.now();
    await run.end(200);
    expect(await exit()).toMatchObject({ exitCode: null, signal: "SIGKILL" });
    expect(performance.now() - startedMs).toBeGreaterThan(190);
  });

  it.each(mechanisms)(
    "[T23] by %s in the first moment of a run, twice at once, and after the exit, has the same result",
    async (tree) => {
      if ((await obstacle(tree)) !== undefined) return;
      const seconds = uniqueSeconds();
      const { run, exit } = await recordRun(spawner, { command: "sleep", args: [seconds], tree });
      expect(await Promise.all([run.end(500), run.end(500)])).toEqual([[], []]);
      await exit();
      expect(await run.end(500)).toEqual([]);
      expect(await untilGone(seconds)).toEqual([]);
    },
  );

  // A namespace ends with its command, so nothing can survive there.
  it.each(["cgroup", "process-group"] as const)(
    "[T24] survivors of a command that ended on its own in a %s are listed, not killed",
    async (tree) => {
      if ((await obstacle(tree)) !== undefined) return;
      const seconds = uniqueSeconds();
      const { run, exit } = await recordRun(spawner, {
        command: `setsid sleep ${seconds} >/dev/null 2>&1 & echo started`,
        tree,
      });
      expect((await exit()).exitCode).toBe(0);
      // It is still the shell's copy for a moment before it becomes `sleep`, and has no command line in between.
      await expect
        .poll(async () => (await run.members()).map(({ command }) => command), { timeout: 10_000 })
        .toEqual([`sleep ${seconds}`]);
      expect(await run.end(1000)).toEqual([]);
      expect(await untilGone(seconds)).toEqual([]);
    },
  );

  it("[T20] the mechanism in force is readable, and one that is missing is refused", async () => {
    const { run, exit } = await recordRun(spawner, { command: "true", tree: "process-group" });
    await exit();
    expect(run.tree).toBe("process-group");
    const portable = makeSpawner({ forkBy: "child_process" });
    await expect(recordRun(portable, { command: "true", tree: "cgroup" })).rejects.toMatchObject({
      code: "not_supported",
      field: "tree",
    });
    await portable.close();
  });
});
