// The input property: a child of each kind of run reads exactly the pieces that were written, empty ones included.
import { createHash } from "node:crypto";
import fc from "fast-check";
import type { RunKind, Spawner } from "../process/index.ts";
import { recordRun } from "./record-run.ts";

/** A piece of input, and whether the event loop turns before the next one. */
export interface InputPiece {
  readonly bytes: Uint8Array;
  readonly waits: boolean;
}

/** The three kinds of run; a text run gets a pipe as stdin. */
export const inputKinds: readonly RunKind[] = ["text", "stdio", "tty"];

/** Any bytes, often none at all, sometimes more than a pipe or a terminal line holds. */
export const inputPieces: fc.Arbitrary<InputPiece[]> = fc.array(
  fc.record({
    bytes: fc.oneof(
      { weight: 3, arbitrary: fc.constant(new Uint8Array()) },
      { weight: 5, arbitrary: fc.uint8Array({ maxLength: 200 }) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.nat(255), fc.integer({ min: 4000, max: 90_000 }))
          .map(([byte, length]) => new Uint8Array(length).map((_, index) => byte ^ (index & 0xff))),
      },
    ),
    waits: fc.boolean(),
  }),
  // Less than the 1 MiB that may wait for a program that does not read.
  { maxLength: 10 },
);

/** Writes the pieces to a new run that hashes its input; rejects when it did not read what was written. */
export async function checkInput(
  spawner: Spawner,
  kind: RunKind,
  pieces: readonly InputPiece[],
): Promise<void> {
  const written = Buffer.concat(pieces.map((piece) => piece.bytes));
  // One more byte than the pieces hold shows that the input still works after the last of them.
  const all = Buffer.concat([written, Buffer.from("!")]);
  const command = `head -c ${all.length} | sha256sum`;
  const { run, exit, text, seen } = await recordRun(spawner, {
    kind,
    command: kind === "tty" ? `stty raw -echo; echo ready; ${command}` : command,
    hasInput: kind === "text",
  });
  try {
    if (kind === "tty") await seen(/ready/);
    for (const { bytes, waits } of pieces) {
      run.write(Buffer.from(bytes));
      if (waits) await new Promise((resolve) => setImmediate(resolve));
    }
    run.write(Buffer.from("!"));
    if (kind !== "tty") run.endInput();
    await exit();
    const [read] = text().replace("ready", "").trim().split(/\s+/);
    if (read !== createHash("sha256").update(all).digest("hex")) {
      throw new Error(`The child of a ${kind} run read something else than the ${all.length} bytes written.`);
    }
  } finally {
    await run.end(0);
    run.release();
  }
}
