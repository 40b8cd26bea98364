// Runs a small program through the keeper, to see whether the machine lets it.
import type { Keeper, KeeperExit, KeeperRunRequest, TreeMechanism } from "@holdfast/keeper/port";

/** What to run; it gets the environment that the host gives to commands. */
export type ProbeRequest = Pick<KeeperRunRequest, "command" | "args" | "kind" | "tree">;

/** What came of it. */
export interface ProbeResult {
  readonly output: string;
  readonly exitCode: number | null;
  /** What held its tree together. */
  readonly tree: TreeMechanism;
}

const limits = { wallClockMs: 5000, outputBytes: 64 * 1024 } as const;

/** Runs it to its end; rejects with the keeper's words when it cannot be started. */
export async function probe(keeper: Keeper, request: ProbeRequest): Promise<ProbeResult> {
  const chunks: Buffer[] = [];
  let ended = (_exit: KeeperExit): void => {};
  const exited = new Promise<KeeperExit>((resolve) => {
    ended = resolve;
  });
  const env = await keeper.buildEnvironment({ audience: "agent-command", hasScreen: request.kind === "tty" });
  const run = await keeper.start(
    { ...request, cwd: "/", env, limits },
    { bytes: (_stream, bytes) => void chunks.push(Buffer.from(bytes)), exit: ended, end: () => {} },
  );
  const { exitCode } = await exited;
  await run.end(0);
  run.release();
  return { output: Buffer.concat(chunks).toString("utf8").trim(), exitCode, tree: run.tree };
}
