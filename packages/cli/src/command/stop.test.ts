// Ending a host from outside.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runWords } from "../testing/command-run.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";

describe("[C57] stop", () => {
  it("[C57] ends the host of its home, waits for it, and says so; none is no failure", async () => {
    const home = temporaryFolder();
    const none = await runWords(["stop", "--json", "--home", home]);
    expect(none).toEqual({ code: 0, stdout: `{"stopped":false,"home":"${home}"}\n`, stderr: "" });
    const host = new ProgramRun(["--port", "0", "--home", home, "--json"], { program: "main" });
    onTestFinished(async () => void (await host.stop("SIGKILL")));
    await host.ready();
    const { code, stdout, stderr } = await runWords(["stop", "--json", "--home", home]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { pid } = host.child;
    const running = { sessions: 0, terminals: 0 };
    expect(JSON.parse(stdout)).toEqual({ stopped: true, home, pid, by: "request", work: "end", ...running });
    expect(readdirSync(home)).not.toContain("lock");
    expect(await host.end()).toEqual({ code: 0, signal: null });
  }, 60_000);

  it("[C57] sends SIGTERM to a host that does not end in time, which ends it at once", async () => {
    const home = temporaryFolder();
    const host = new ProgramRun(["--port", "0", "--home", home, "--json"], {
      environment: { TEST_DRAIN: "never" },
    });
    onTestFinished(async () => void (await host.stop("SIGKILL")));
    await host.ready();
    const { code, stderr } = await runWords(["stop", "--timeout", "1", "--home", home]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "holdfast: The host has not stopped after 1 s; forcing it to stop.\n",
    });
    expect(await host.end()).toEqual({ code: 1, signal: null });
    expect(existsSync(path.join(home, "lock"))).toBe(false);
  }, 60_000);

  it("[C57] kills a host that responds to nothing, and says each step", async () => {
    const home = temporaryFolder();
    const host = new ProgramRun(["--port", "0", "--home", home, "--json"]);
    onTestFinished(async () => void (await host.stop("SIGKILL")));
    await host.ready();
    // A stopped process handles no signal and needs no watchdog.
    host.child.kill("SIGSTOP");
    const { code, stderr } = await runWords(["stop", "--home", home]);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^holdfast: It does not respond\. Sending SIGTERM\.\nholdfast: It still runs\. Sending SIGKILL, .*\n$/,
    );
    expect(await host.end()).toEqual({ code: null, signal: "SIGKILL" });
    expect((await runWords(["stop", "--home", home, "--json"])).stdout).toContain('"stopped":false');
  }, 60_000);
});
