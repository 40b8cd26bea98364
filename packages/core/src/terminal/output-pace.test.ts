// The wait of a program for followers that must miss nothing.
import { expect, test, vi } from "vitest";
import { OutputPace } from "./output-pace.ts";

const aheadBytes = 512 * 1024;

function newPace(timeoutMs?: number) {
  const holds: boolean[] = [];
  return { holds, pace: new OutputPace({ hold: (isHeld) => holds.push(isHeld), timeoutMs }) };
}

test("[U34] the program is at most half a mebibyte ahead of its slowest follower", () => {
  const { pace, holds } = newPace();
  const [slow, quick] = [pace.follow(0), pace.follow(0)];
  pace.wrote(aheadBytes - 1);
  quick.read(aheadBytes - 1);
  expect(holds).toEqual([]);
  pace.wrote(aheadBytes);
  expect(holds).toEqual([true]);
  slow.read(1);
  expect(holds).toEqual([true, false]);
  pace.wrote(3 * aheadBytes);
  slow.close();
  quick.read(3 * aheadBytes);
  expect(holds).toEqual([true, false, true, false]);
  quick.close();
  quick.read(0);
  expect(pace.isHeld).toBe(false);
  pace.close();
});

test("[U34] it waits for the first follower, and for one that is lost, but not for ever", async () => {
  const { pace, holds } = newPace(50);
  pace.wrote(2 * aheadBytes);
  expect(holds).toEqual([true]);
  const follower = pace.follow(0);
  follower.read(2 * aheadBytes);
  follower.close();
  pace.wrote(4 * aheadBytes);
  expect(holds).toEqual([true, false, true]);
  await vi.waitFor(() => expect(holds).toEqual([true, false, true, false]));
  pace.wrote(9 * aheadBytes);
  expect(pace.isHeld).toBe(false);
});
