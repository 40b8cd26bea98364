// A host that replaces another one in its home.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runWords } from "../testing/command-run.ts";
import { makePath } from "../testing/doctor-run.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { unitPath } from "../service/systemd.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";

function start(words: readonly string[], environment: Record<string, string> = {}): ProgramRun {
  // Not the bare server of other tests: a host that takes over first checks its agents (C895).
  const run = new ProgramRun([...words, "--no-keeper", "--json"], { program: "main", environment });
  onTestFinished(async () => void (await run.stop("SIGKILL")));
  return run;
}

describe("[C720] taking over", () => {
  it("[C720] has the running host stop, and listens where it listened", async () => {
    const home = temporaryFolder();
    const first = start(["--port", "0", "--home", home]);
    const { url } = await first.ready();
    const second = start(["serve", "--take-over", "--home", home]);
    expect((await second.ready()).url).toBe(url);
    expect(await first.end()).toEqual({ code: 0, signal: null });
    const { pid } = JSON.parse(readFileSync(path.join(home, "host.json"), "utf8")) as { pid: number };
    expect(pid).toBe(second.child.pid);
  }, 60_000);

  it("[C720] a plain second start takes nothing over, and without a running host there is nothing to take", async () => {
    const home = temporaryFolder();
    const first = start(["serve", "--take-over", "--port", "0", "--home", home]);
    const { url } = await first.ready();
    const second = start(["--home", home]);
    expect((await second.ready()).url).toBe(url);
    expect(await second.end()).toEqual({ code: 0, signal: null });
    expect(first.child.exitCode).toBe(null);
  }, 60_000);

  it("[C720] a host that does not respond is not replaced, and the error says what ends it", async () => {
    const home = temporaryFolder();
    const first = start(["--port", "0", "--home", home]);
    await first.ready();
    first.child.kill("SIGSTOP");
    const second = start(["serve", "--take-over", "--home", home]);
    expect(await second.end()).toMatchObject({ code: 1 });
    expect(second.stderr).toContain("holdfast stop --keep");
  }, 60_000);

  it("[C721] restart without a host fails with a remedy", async () => {
    const { code, stderr } = await runWords(["restart", "--home", temporaryFolder()]);
    expect(code).toBe(4);
    expect(stderr).toContain("holdfast serve");
  });
});

describe("[C895] taking over with a mistake in the setup", () => {
  it("[C895] leaves the running host alone, and the error names the mistake", async () => {
    const home = temporaryFolder();
    const other = path.join(temporaryFolder(), "other.jsonc");
    const first = start(["--port", "0", "--home", home]);
    const { url } = await first.ready();
    const mistakes = [
      ["config.jsonc", '{ "agnets": {} }', "agnets"],
      ["config.jsonc", '{ "agents": { "mine": {} } }', "agents.mine.command"],
      ["config.jsonc", '{ "policy": "missing.jsonc" }', "it does not exist"],
      ["config.jsonc", '{ "listen": { "host": "0.0.0.0" } }', "listen.allowRemote"],
      ["policy.jsonc", "{ rules", "policy.jsonc"],
      [other, '{ "listen": "here" }', "other.jsonc"],
    ] as const;
    for (const [name, text, mistake] of mistakes) {
      const file = path.resolve(home, name);
      writeFileSync(file, text);
      const config = file === other ? ["--config", other] : [];
      const second = start(["serve", "--take-over", "--home", home, ...config]);
      expect(await second.end()).toEqual({ code: 2, signal: null });
      expect(second.stderr).toContain(mistake);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      writeFileSync(file, "{}");
    }
    expect(first.stderr).not.toContain("Stopping");
    const second = start(["serve", "--take-over", "--home", home]);
    expect((await second.ready()).url).toBe(url);
  }, 60_000);

  it("[C895] restart does not have systemd stop the host, either", async () => {
    const home = temporaryFolder();
    const folder = temporaryFolder();
    const host = start(["--port", "0", "--home", home]);
    const { url } = await host.ready();
    const calls = path.join(folder, "calls");
    // The machine's systemd would restart a real service.
    const systemctl = `echo "$@" >> ${calls}; echo ${host.child.pid}`;
    const PATH = makePath(path.join(folder, "bin"), { systemctl });
    const environment = { PATH, HOME: folder, XDG_CONFIG_HOME: folder };
    const unit = unitPath(environment);
    mkdirSync(path.dirname(unit), { recursive: true });
    writeFileSync(unit, "");
    writeFileSync(path.join(home, "config.jsonc"), '{ "agnets": {} }');
    const { code, stderr } = await runWords(["restart", "--home", home], environment);
    expect(code).toBe(2);
    expect(stderr).toContain("agnets");
    expect(readFileSync(calls, "utf8")).not.toContain("restart");
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  }, 60_000);
});
