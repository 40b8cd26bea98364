// The kernel reuses the number of a namespace that is gone: its tree must not mistake the next one for itself.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { pidNamespaceObstacle, pidNamespacePrefix, PidNamespaceTree } from "./pid-namespace.ts";
import { readPidNamespace, readProcessTable, readStartTime } from "./process-table.ts";

interface Started {
  readonly outer: ChildProcess;
  readonly tree: PidNamespaceTree;
  readonly namespace: string | undefined;
}

/** A command in a new namespace, which is there when this resolves. */
async function start(): Promise<Started> {
  const [program = "", ...args] = pidNamespacePrefix();
  const outer = spawn(program, [...args, "sleep", "600"], { stdio: "ignore", detached: true });
  const pid = outer.pid ?? 0;
  onTestFinished(() => void outer.kill("SIGKILL"));
  const tree = new PidNamespaceTree({ pid, startTime: readStartTime(pid), marker: "" });
  // `unshare`, the shell that is first inside, and the command.
  await expect.poll(() => tree.members(), { timeout: 10_000 }).toHaveLength(3);
  const first = (await readProcessTable()).find(({ parentPid }) => parentPid === pid);
  return { outer, tree, namespace: first && readPidNamespace(first.pid) };
}

async function end({ outer }: Started): Promise<void> {
  const exited = once(outer, "exit");
  outer.kill("SIGKILL");
  await exited;
}

/** One that is gone and one that has its number, which the kernel gives again when it finds the time. */
async function startInSameNumber(): Promise<{ gone: Started; next: Started } | undefined> {
  const ended = new Map<string | undefined, Started>();
  for (let tries = 0; tries < 40; tries += 1) {
    const next = await start();
    const gone = ended.get(next.namespace);
    if (gone !== undefined) return { gone, next };
    await end(next);
    ended.set(next.namespace, next);
  }
  return undefined;
}

test("[T95] what gets the number of a namespace that is gone is not taken for it", async (context) => {
  const reason = await pidNamespaceObstacle();
  if (reason !== undefined) return context.skip(`PID namespaces: ${reason}`);
  const pair = await startInSameNumber();
  if (pair === undefined) return context.skip("no number was given twice");
  const { gone, next } = pair;
  expect(await gone.tree.members()).toEqual([]);
  await gone.tree.signal("SIGTERM");
  await gone.tree.kill();
  expect(await next.tree.members()).toHaveLength(3);
});
