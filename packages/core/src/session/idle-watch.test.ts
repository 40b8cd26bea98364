// When a session that is left alone is let rest.
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { IdleWatch } from "./idle-watch.ts";

test("[R13] a rest that fails is told, and tried again", async () => {
  const faults: unknown[] = [];
  let rests = 0;
  const watch = new IdleWatch({
    idleMs: 1,
    isBusy: () => Promise.resolve(false),
    rest: () => {
      rests += 1;
      return rests === 1 ? Promise.reject(new Error("The disk is full")) : Promise.resolve();
    },
    onFault: (error) => faults.push(error),
  });
  watch.touch();
  await until(() => rests === 2);
  expect(faults).toMatchObject([{ message: "The disk is full" }]);
  watch.close();
});
