// The inline keeper fulfils the contract, and survives the death of its helper.
import { afterAll, describe, expect, it } from "vitest";
import { InlineKeeper } from "./inline.ts";
import { keeperContract } from "./testing/keeper-contract.ts";
import { RunRecord, recordRun, untilGone } from "./testing/record-run.ts";

keeperContract("inline", () => new InlineKeeper());

describe("the helper of an inline keeper", () => {
  const keeper = new InlineKeeper({ environment: { FROM: "the map" } });
  afterAll(() => keeper.close(200));

  it("[K11] that dies loses the exit status of its runs, and no run goes on unseen", async () => {
    const { run, record } = await recordRun(keeper, { command: "echo ready; exec sleep 1000" });
    await record.seen(/ready/);
    process.kill(keeper.helperPid ?? 0, "SIGKILL");
    expect(await record.exited()).toMatchObject({ exitCode: null, signal: null, lost: true, finalOffset: 6 });
    await untilGone([run.pid]);
    run.release();
    const next = await recordRun(keeper, { command: "echo again" });
    await next.record.ended();
    expect(next.record.text()).toBe("again\n");
    next.run.release();
  });

  it("[K11] that dies during a start makes it fail as lost, and the sink hears nothing", async () => {
    const record = new RunRecord();
    // The helper is stopped first, so that the start is sure to be unanswered when it dies.
    const pid = keeper.helperPid ?? 0;
    process.kill(pid, "SIGSTOP");
    const starting = recordRun(keeper, { command: "sleep 1000" }, record);
    process.kill(pid, "SIGKILL");
    await expect(starting).rejects.toMatchObject({ name: "KeeperError", code: "lost" });
    expect(record.events).toEqual([]);
  });

  it("[K10] a keeper with an environment of its own asks no login shell", async () => {
    expect(await keeper.buildEnvironment({ audience: "person", hasScreen: false })).toEqual({
      FROM: "the map",
    });
  });
});
