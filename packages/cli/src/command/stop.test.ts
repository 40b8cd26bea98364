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
    expect(JSON.parse(stdout)).toEqual({ stopped: true, home, pid, sessions: 0, terminals: 0 });
    expect(readdirSync(home)).not.toContain("lock");
    expect(await host.end()).toEqual({ code: 0, signal: null });
  }, 60_000);

  it("[C57] says when the host does not end in time, and ends it at once when told again", async () => {
    const home = temporaryFolder();
    const host = new ProgramRun(["--port", "0", "--home", home, "--json"], {
      environment: { TEST_DRAIN: "never" },
    });
    onTestFinished(async () => void (await host.stop("SIGKILL")));
    await host.ready();
    const first = await runWords(["stop", "--timeout", "1", "--home", home]);
    expect(first.code).toBe(1);
    expect(first.stderr).toContain(`"code":"STOP_TIMED_OUT"`);
    expect((await runWords(["stop", "--home", home])).code).toBe(0);
    expect(await host.end()).toEqual({ code: 1, signal: null });
    expect(existsSync(path.join(home, "lock"))).toBe(false);
  }, 60_000);
});
