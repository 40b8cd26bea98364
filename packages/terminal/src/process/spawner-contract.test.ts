// The spawner fulfils the contract of a process port, and survives the death of its helper.
import { afterAll, describe, expect, it } from "vitest";
import { processPortContract } from "../testing/process-port-contract.ts";
import { RunRecord, recordRun, untilGone } from "../testing/run-record.ts";
import { Spawner } from "./spawner.ts";

processPortContract("spawner", () => new Spawner());

describe("the helper of a spawner", () => {
  const processPort = new Spawner({ environment: { FROM: "the map" } });
  afterAll(() => processPort.close(200));

  it("[K11] that dies loses the exit status of its runs, and no run continues unseen", async () => {
    const { run, record } = await recordRun(processPort, { command: "echo ready; exec sleep 1000" });
    await record.seen(/ready/);
    process.kill(processPort.helperPid ?? 0, "SIGKILL");
    expect(await record.exited()).toMatchObject({ exitCode: null, signal: null, lost: true, finalOffset: 6 });
    await untilGone([run.pid]);
    run.release();
    const next = await recordRun(processPort, { command: "echo again" });
    await next.record.ended();
    expect(next.record.text()).toBe("again\n");
    next.run.release();
  });

  it("[K11] that dies during a start makes it fail as lost, and the sink receives nothing", async () => {
    const record = new RunRecord();
    // The helper is stopped first, so that the start is sure to be unanswered when it dies.
    const pid = processPort.helperPid ?? 0;
    process.kill(pid, "SIGSTOP");
    const starting = recordRun(processPort, { command: "sleep 1000" }, record);
    process.kill(pid, "SIGKILL");
    await expect(starting).rejects.toMatchObject({ name: "TerminalError", code: "lost" });
    expect(record.events).toEqual([]);
  });

  it("[K10] a processPort with a given environment asks no login shell", async () => {
    expect(await processPort.buildEnvironment({ audience: "person", hasScreen: false })).toEqual({
      FROM: "the map",
    });
  });
});
