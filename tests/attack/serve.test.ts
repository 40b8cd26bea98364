// A second host in a command of an agent: the sandbox hides the home, and the error says so in a sentence.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { Spawner } from "@holdfast/terminal/process";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { testedProgram } from "../setup/tested-program.ts";

const own = process.getuid?.() === 0 ? "bubblewrap-root" : "bubblewrap-user";

describe.runIf(process.platform === "linux")("`holdfast serve` in a sandbox", () => {
  it.each([own, "landlock"])("[V701] fails with one sentence where %s hides the home", async (backend) => {
    const home = mkdtempSync(path.join(tmpdir(), "hidden-home-"));
    vi.stubEnv("HOLDFAST_SANDBOX_BACKENDS", backend);
    const spawner = new Spawner({ environment: process.env });
    vi.unstubAllEnvs();
    onTestFinished(async () => {
      await spawner.close(0);
      rmSync(home, { recursive: true });
    });
    const { id: sandbox } = await spawner.openSandbox({
      level: "guard",
      hidden: [home],
      visible: [],
      readOnly: [],
      writable: [],
    });
    let text = "";
    const run = await spawner.start(
      {
        kind: "text",
        command: process.execPath,
        args: [testedProgram, "serve", "--port", "0"],
        cwd: "/tmp",
        env: { PATH: process.env["PATH"] ?? "", HOME: "/tmp", HOLDFAST_HOME: home },
        sandbox,
      },
      { bytes: (_stream, bytes) => (text += Buffer.from(bytes).toString()), exit: () => {}, end: () => {} },
    );
    const { exitCode } = await run.exited;
    expect(exitCode).toBe(2);
    expect(JSON.parse(text)).toMatchObject({
      code: "CANNOT_START",
      message: expect.stringMatching(
        /^The home \S+ cannot be used \((EROFS|EACCES)\)\. Choose a folder that you own with --home\.$/,
      ) as string,
    });
    run.release();
  });
});
