// A program that has no descriptors left: starts fail with a reason, leave nothing open, and work again later.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";

guardLeaks();

const engine = fileURLToPath(new URL("../../dist/process/index.js", import.meta.url));

/** Runs a script with few descriptors; its functions take all but some of them, and give them back. */
function runScarce(body: string): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), "descriptors-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = `import { Spawner } from ${JSON.stringify(engine)};
    import { closeSync, openSync, readdirSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    const spawner = new Spawner({ environment: {}, privateFolder: ${JSON.stringify(folder)} });
    const start = (kind, command = "/bin/true") =>
      spawner.start({ kind, command, cwd: "/", env: {} }, { bytes() {}, exit() {}, end() {} });
    const run = (kind) =>
      start(kind).then(
        async (started) => { await started.exited; started.release(); return "ran"; },
        (error) => error.name + " " + error.code,
      );
    const taken = [];
    const leave = (free) => {
      try { for (;;) taken.push(openSync("/dev/null")); } catch {}
      for (const file of taken.splice(0, free)) closeSync(file);
    };
    const giveBack = () => taken.splice(0).forEach((file) => closeSync(file));
    const countOpen = () => readdirSync("/proc/self/fd").length;
    const until = async (isDone) => { for (let i = 0; i < 500 && !isDone(); i += 1) await sleep(10); };
    for (const kind of ["text", "tty", "stdio"]) await run(kind);
    ${body}
    await spawner.close();`;
  const node = [process.execPath, "--input-type=module", "-e", script];
  const env = { PATH: process.env["PATH"], TMPDIR: folder };
  const words = ["-c", 'ulimit -n 200; exec "$@"', "sh", ...node];
  return execFileSync("/bin/sh", words, { env, encoding: "utf8", timeout: 30_000 }).trim().split("\n");
}

it.runIf(process.platform === "linux").each(["text", "tty", "stdio"])(
  "[T5][T709] a %s run that gets too few descriptors fails, and leaves none open",
  (kind) => {
    const lines = runScarce(`
      const before = countOpen();
      for (let free = 0; free < 6; free += 1) {
        leave(free);
        const outcome = await run(${JSON.stringify(kind)});
        giveBack();
        await until(() => countOpen() === before);
        console.log(outcome, countOpen() - before);
      }
      console.log(await run(${JSON.stringify(kind)}));`);
    expect(lines[0]).toBe("TerminalError spawn_failed 0");
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/^(?:TerminalError spawn_failed|ran) 0$/);
    expect(lines.at(-1)).toBe("ran");
  },
);

it.runIf(process.platform === "linux")(
  "[T2][T709] a helper that dies while no descriptor is left is started again later, and ends what it ran",
  () => {
    const [exit, ...lines] = runScarce(`
      const sleeping = await start("text", "sleep 600");
      leave(0);
      process.kill(spawner.helperPid, "SIGKILL");
      console.log(JSON.stringify(await sleeping.exited));
      const isAlive = () => { try { process.kill(sleeping.pid, 0); return true; } catch { return false; } };
      for (const free of [0, 2, 3]) {
        giveBack();
        leave(free);
        console.log(await run("tty"));
      }
      giveBack();
      const before = countOpen();
      console.log(await run("text"));
      await until(() => !isAlive());
      console.log(isAlive());`);
    expect(JSON.parse(exit ?? "")).toMatchObject({ lost: true });
    const failed = "TerminalError spawn_failed";
    expect(lines).toEqual([failed, failed, failed, "ran", "false"]);
  },
);
