// The idle timeout of a session.
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { IdleWatch } from "./idle-watch.ts";

test("[R13] a failure to unload is reported, and tried again", async () => {
  const faults: unknown[] = [];
  let attempts = 0;
  const watch = new IdleWatch({
    idleMs: 1,
    isBusy: () => Promise.resolve(false),
    unload: () => {
      attempts += 1;
      return attempts === 1 ? Promise.reject(new Error("The disk is full")) : Promise.resolve();
    },
    onFault: (error) => faults.push(error),
  });
  watch.touch();
  await until(() => attempts === 2);
  expect(faults).toMatchObject([{ message: "The disk is full" }]);
  watch.close();
});
