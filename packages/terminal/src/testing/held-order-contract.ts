// The part of the contract of held runs that is about the order of a command's two streams.
import { expect, it } from "vitest";
import type { RunRequest } from "../process/port.ts";
import { type HostSuccession, only } from "./host-succession.ts";
import { RunRecord, recordRun } from "./run-record.ts";

/** A command that writes lines to its two streams in turn. */
function alternate(count: number, afterwards = ""): Partial<RunRequest> & { command: string } {
  const command = `i=0; while [ $i -lt ${count} ]; do i=$((i+1)); echo o$i; echo e$i >&2; done${afterwards}`;
  return { command, separateError: true };
}

/** The tests of one succession of hosts. */
export function describeStreamOrder(hosts: () => HostSuccession): void {
  const numbered = (letter: string, count: number): string =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}\n`).join("");

  it("[K742] the two streams of a command reach every host in the same order, from any place of it", async () => {
    const count = 20_000;
    const request = { ...alternate(count), whileAway: "keep" } as const;
    let { run, record } = await recordRun(await hosts().takeOver(), request);
    let known = "";
    let from = 0;
    for (const share of [0.1, 0.35, 0.6, 0.9]) {
      await record.reached(Math.floor(numbered("o", count).length * share));
      const next = await hosts().takeOver();
      const received = known.slice(0, from) + record.joinedText();
      expect(received.slice(0, known.length)).toBe(known.slice(0, received.length));
      if (received.length > known.length) known = received;
      // In the middle of a line, as readers stop.
      const stored = Math.floor(record.joinedText().length * 0.8);
      from += stored;
      const place = record.placeAfter(stored);
      record = new RunRecord(place);
      run = await next.attach(run.id, record, place);
    }
    expect(await record.exited()).toMatchObject({ exitCode: 0 });
    await record.ended();
    const all = known.slice(0, from) + record.joinedText();
    expect([all.startsWith(known), record.misplaced]).toEqual([true, []]);
    expect(all).toContain("\ne");
    const whole = new RunRecord();
    const last = await (await hosts().takeOver()).attach(run.id, whole, {});
    await whole.ended();
    expect(whole.joinedText() === all).toBe(true);
    expect(whole.text()).toBe(numbered("o", count));
    expect(whole.text("error")).toBe(numbered("e", count));
    last.release();
  });

  it("[K742] where bytes of one stream were dropped, those of the other that came before them are not delivered", async () => {
    const first = await hosts().takeOver();
    const request = { ...alternate(100, "; read -r go; seq 1 100000; echo end >&2"), hasInput: true };
    const { run, record } = await recordRun(first, request);
    await record.seen(/e100\n/, "error");
    const received = record.joinedText().length;
    run.write(Buffer.from("go\n"));
    await first.detach();
    const second = await hosts().takeOver();
    await expect.poll(async () => (await only(second, run)).hasExited).toBe(true);
    const { heldFrom } = await only(second, run);
    expect(heldFrom.output).toBeGreaterThan(received);
    expect(heldFrom.error).toBe(numbered("e", 100).length);
    const again = new RunRecord(heldFrom);
    const attached = await second.attach(run.id, again, {});
    await again.ended();
    expect([again.text("error"), again.misplaced]).toEqual(["end\n", []]);
    expect(again.text().endsWith("99999\n100000\n")).toBe(true);
    attached.release();
  });
}
