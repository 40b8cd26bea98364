// Runs every tree shape under one mechanism and reports what survived; a program, so that it can run as another user.
import { setTimeout as sleep } from "node:timers/promises";
import { Spawner, type TreeMechanism } from "../process/index.ts";
import { findByArgument, uniqueSeconds } from "./detector.ts";
import { TREE_SHAPES, type TreeShape } from "./tree-shapes.ts";

/** So long a busy machine may take to start a few shells. */
const standBoundMs = 20_000;

/** Result for one shape. */
export interface ShapeResult {
  readonly shape: string;
  readonly kind: "text" | "tty";
  readonly mechanism: TreeMechanism;
  readonly started: number;
  /** Processes that the engine says it could not end. */
  readonly left: number;
  /** Processes that the detector still finds. */
  readonly survivors: string[];
  readonly readable: boolean;
}

/** Starts, waits until the tree stands, ends it, and looks with the detector; closes the spawner. */
export async function endShapes(mechanism: TreeMechanism, spawner = new Spawner()): Promise<ShapeResult[]> {
  const results: ShapeResult[] = [];
  try {
    for (const shape of TREE_SHAPES) {
      // Both at once: most of the time is spent waiting for a tree to stand.
      const kinds = ["text", "tty"] as const;
      results.push(...(await Promise.all(kinds.map((kind) => endShape(spawner, shape, kind, mechanism)))));
    }
  } finally {
    await spawner.close();
  }
  return results;
}

async function endShape(
  spawner: Spawner,
  { name: shape, line, sleeps }: TreeShape,
  kind: "text" | "tty",
  mechanism: TreeMechanism,
): Promise<ShapeResult> {
  const seconds = uniqueSeconds();
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
  let text = "";
  const run = await spawner.start(
    { kind, command: `echo started; ${line(seconds)}`, cwd: "/", env, tree: mechanism },
    {
      bytes: (_stream, bytes) => (text += Buffer.from(bytes).toString("utf8")),
      exit: () => {},
      end: () => {},
    },
  );
  const started = await settle(seconds, sleeps);
  const left = await run.end(300);
  // Longer than it takes a daemon to restart its child.
  await sleep(30);
  const survivors = findByArgument(seconds);
  run.release();
  for (const found of survivors) kill(Number(found.split(" ")[0]));
  return {
    shape,
    kind,
    mechanism: run.tree,
    started,
    left: left.length,
    survivors,
    readable: text.startsWith("started"),
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended on its own since it was found.
  }
}

/** The tree stands when all that sleep do, and a look 40 ms later finds no more and no fewer processes. */
async function settle(seconds: string, sleeps: number): Promise<number> {
  const startedMs = performance.now();
  for (let before = -1; ;) {
    const found = findByArgument(seconds);
    const sleeping = found.filter((process) => /^\d+ sleep /.test(process)).length;
    if (sleeping === sleeps && found.length === before) return before;
    before = found.length;
    if (performance.now() - startedMs > standBoundMs) {
      throw new Error(`${sleeping} of ${sleeps} sleep after ${standBoundMs} ms: ${found.join("; ")}`);
    }
    await sleep(40);
  }
}
