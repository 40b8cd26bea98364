// Runs every tree shape under one mechanism and reports what survived; a program, so that it can run as another user.
import { setTimeout as sleep } from "node:timers/promises";
import { Spawner, type TreeMechanism } from "../process/index.ts";
import { findByArgument, uniqueSeconds } from "./detector.ts";
import { TREE_SHAPES } from "./tree-shapes.ts";

/** What became of one shape. */
export interface ShapeResult {
  readonly shape: string;
  readonly kind: "text" | "tty";
  readonly mechanism: TreeMechanism;
  readonly started: number;
  /** What the engine says it could not end. */
  readonly left: number;
  /** What the detector still finds. */
  readonly survivors: string[];
  readonly readable: boolean;
}

/** Starts, waits until the tree stands, ends it, and looks with the detector. */
export async function endShapes(mechanism: TreeMechanism): Promise<ShapeResult[]> {
  const spawner = new Spawner();
  const results: ShapeResult[] = [];
  try {
    for (const shape of TREE_SHAPES) {
      for (const kind of ["text", "tty"] as const) {
        results.push(await endShape(spawner, shape.name, shape.line, kind, mechanism));
      }
    }
  } finally {
    await spawner.close();
  }
  return results;
}

async function endShape(
  spawner: Spawner,
  shape: string,
  line: (seconds: string) => string,
  kind: "text" | "tty",
  mechanism: TreeMechanism,
): Promise<ShapeResult> {
  const seconds = uniqueSeconds();
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
  let text = "";
  const run = await spawner.run(
    { kind, command: `echo started; ${line(seconds)}`, cwd: "/", env, tree: mechanism },
    {
      bytes: (_stream, buffer, length) => (text += buffer.toString("utf8", 0, length)),
      exit: () => {},
      end: () => {},
    },
  );
  const started = await settle(seconds);
  const left = await run.end(300);
  // Longer than it takes a daemon to start its child anew.
  await sleep(30);
  const survivors = findByArgument(seconds);
  spawner.release(run);
  for (const found of survivors) process.kill(Number(found.split(" ")[0]), "SIGKILL");
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

/** The tree stands when two looks, 40 ms apart, find the same number of processes. */
async function settle(seconds: string): Promise<number> {
  for (let before = -1; ;) {
    const now = findByArgument(seconds).length;
    if (now === before && now > 1) return now;
    before = now;
    await sleep(40);
  }
}
