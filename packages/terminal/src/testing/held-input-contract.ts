// The input of runs that outlive their host, as a part of their contract.
import fc from "fast-check";
import { expect, it } from "vitest";
import { type HostSuccession, attachAt, only } from "./host-succession.ts";
import { recordRun } from "./run-record.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;

export function describeInput(hosts: () => HostSuccession): void {
  it("[K707] counts the input that it has taken, for the next host", async () => {
    const first = await hosts().takeOver();
    const { run, record } = await recordRun(first, { kind: "stdio", command: "cat" });
    run.write(Buffer.from("12345"));
    expect(run.inputOffset).toBe(5);
    await record.seen(/12345/);
    await run.interrupt();
    const second = await hosts().takeOver();
    expect((await only(second, run)).inputOffset).toBe(5);
    const again = await attachAt(second, run, 5);
    expect(again.run.inputOffset).toBe(5);
    again.run.release();
  });

  it("[K740] keyed input that the next host sends again is typed once, in the order of each writer", async () => {
    const writer = fc.array(fc.string({ maxLength: 20 }), { minLength: 1, maxLength: 8 });
    const plan = fc.record({
      writers: fc.array(writer, { minLength: 1, maxLength: 3 }),
      sent: fc.array(fc.nat(7), { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ writers, sent }) => {
        const port = await hosts().takeOver();
        let { run, record } = await recordRun(port, { kind: "stdio", command: "cat", whileAway: "keep" });
        // No host knows what of it the earlier ones passed on: each sends everything again, and a part that is new.
        for (const count of [...sent, 8]) {
          for (const [index, pieces] of writers.entries()) {
            for (const [number, text] of pieces.slice(0, count).entries()) {
              run.write(Buffer.from(`<${index}:${number}:${text}>`), { writer: `w${index}`, number });
            }
          }
          await run.inputTaken();
          const next = await hosts().takeOver();
          ({ run, record } = await attachAt(next, run, 0));
        }
        run.endInput();
        await record.ended();
        const typed = (index: number): string[] =>
          record
            .text()
            .split(/(?=<\d:\d:)/)
            .filter((piece) => piece.startsWith(`<${index}:`));
        for (const [index, pieces] of writers.entries()) {
          expect(typed(index)).toEqual(pieces.map((text, number) => `<${index}:${number}:${text}>`));
        }
        run.release();
      }),
      { numRuns: isLong ? 100 : 8 },
    );
  });

  it("[K740] of keyed input that was cut between its pieces, the rest is typed", async () => {
    const first = await hosts().takeOver();
    const { run } = await recordRun(first, { kind: "stdio", command: "wc -c", whileAway: "keep" });
    const key = { writer: "w", number: 1 };
    // As a host that is killed between two frames.
    run.write(Buffer.alloc(1000, "a"), key);
    const again = await attachAt(await hosts().takeOver(), run, 0);
    again.run.write(Buffer.alloc(600_000, "a"), key);
    again.run.endInput();
    await again.record.ended();
    expect(again.record.text().trim()).toBe("600000");
    again.run.release();
  });

  it("[K707] an interrupt is no input of the host", async () => {
    const first = await hosts().takeOver();
    const { run, record } = await recordRun(first, {
      kind: "tty",
      command: "trap 'echo caught' INT; cat; cat",
    });
    run.write(Buffer.from("x\n"));
    await record.seen(/x\s+x/);
    await run.interrupt();
    await record.seen(/caught/);
    expect(run.inputOffset).toBe(2);
    expect((await only(first, run)).inputOffset).toBe(2);
    run.release();
  });
}
