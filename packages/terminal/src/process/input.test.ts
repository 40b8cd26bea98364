// Input of all three kinds of run: random pieces, empty ones included, arrive whole and in order.
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { checkInput, inputKinds, inputPieces } from "../testing/input-property.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { makeSpawner } from "../testing/level.ts";
import { recordRun } from "../testing/record-run.ts";

guardLeaks();
const spawner = makeSpawner();
afterAll(() => spawner.close());

const numRuns = process.env["HOLDFAST_LONG"] === undefined ? 15 : 300;

describe("input", () => {
  it.each(inputKinds)(
    "[T201] a %s run reads exactly what was written, in pieces of any size",
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(inputPieces, (pieces) => checkInput(spawner, kind, pieces)),
        { numRuns },
      );
    },
  );

  it.each(inputKinds)("[T201] zero bytes to a %s run are accepted and change nothing", async (kind) => {
    const { run, exit, seen } = await recordRun(spawner, {
      kind,
      command: "echo ready; read -r line && echo got:$line",
      hasInput: kind === "text",
    });
    await seen(/ready/);
    for (let i = 0; i < 3; i += 1) expect(run.write(Buffer.alloc(0))).toBe(true);
    run.write(Buffer.from("li"));
    run.write(Buffer.alloc(0));
    run.write(Buffer.from("ne\n"));
    await seen(/got:line/);
    expect((await exit()).exitCode).toBe(0);
    run.release();
  });
});
