// Bad input: an error that names the field, and nothing left behind.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { makeSpawner } from "../testing/level.ts";
import { recordRun } from "../testing/record-run.ts";

guardLeaks();
const spawner = makeSpawner();
afterAll(() => spawner.close());

describe("a request", () => {
  it.each([
    [{ command: 7 }, "invalid_request", "command"],
    [{ command: "" }, "invalid_request", "command"],
    [{ command: "  " }, "invalid_request", "command"],
    [{ command: "a\0b" }, "invalid_request", "command"],
    [{ args: "x" }, "invalid_request", "args"],
    [{ args: ["a", 7] }, "invalid_request", "args[1]"],
    [{ args: ["a\0"] }, "invalid_request", "args[0]"],
    [{ cwd: "relative" }, "invalid_request", "cwd"],
    [{ cwd: "/no/such/folder" }, "directory_not_found", "cwd"],
    [{ cwd: "/etc/passwd" }, "directory_not_found", "cwd"],
    [{ kind: "screen" }, "invalid_request", "kind"],
    [{ tree: "forest" }, "invalid_request", "tree"],
    [{ env: { "A=": "x" } }, "invalid_request", "env.A="],
    [{ env: { A: 7 } }, "invalid_request", "env.A"],
    [{ kind: "tty", size: { columns: "wide" } }, "invalid_request", "columns"],
    [{ command: "nosuch-program" }, "program_not_found", "command"],
    [{ kind: "tty", command: "nosuch-program" }, "program_not_found", "command"],
    [{ kind: "stdio", command: "nosuch-program" }, "program_not_found", "command"],
    [{ command: "/etc/passwd" }, "program_not_executable", "command"],
    [{ args: ["a", "x".repeat(128 * 1024)] }, "invalid_request", "args[1]"],
    [{ command: "x".repeat(128 * 1024) }, "invalid_request", "command"],
    [{ args: Array.from({ length: 12 }, () => "x".repeat(100_000)) }, "invalid_request", "args"],
    [{ args: Array.from({ length: 20_000 }, () => "x") }, "invalid_request", "args"],
    [{ env: { A: "x".repeat(128 * 1024) } }, "invalid_request", "env.A"],
  ])("[T5][T240] request %# is refused", async (fault, code, field) => {
    await expect(recordRun(spawner, { command: "true", ...(fault as object) })).rejects.toMatchObject({
      name: "TerminalError",
      code,
      field,
    });
  });

  it("[T5] on a machine without /dev/null is refused, and the file is named", (context) => {
    const engine = fileURLToPath(new URL("../../dist/process/index.js", import.meta.url));
    const script = `import { Spawner } from ${JSON.stringify(engine)};
      import { rmSync } from "node:fs";
      const spawner = new Spawner();
      const run = () => spawner.start({ kind: "text", command: "true", cwd: "/", env: process.env }, { bytes() {}, exit() {}, end() {} });
      await (await run()).exited;
      rmSync("/dev/null");
      await run().catch((error) => console.log(error.code, error.message));
      await spawner.close();`;
    const mount =
      "mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/urandom c 1 9";
    let output: string;
    try {
      output = execFileSync(
        "unshare",
        [
          "-m",
          "sh",
          "-c",
          `${mount} && exec "$@"`,
          "sh",
          process.execPath,
          "--input-type=module",
          "-e",
          script,
        ],
        { encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] },
      );
    } catch (error) {
      return context.skip(
        `a mount namespace of one's own: ${String((error as { stderr?: string }).stderr).trim()}`,
      );
    }
    expect(output).toMatch(/^device_missing .*\/dev\/null/);
  });

  it("[T5] to a closed spawner is refused", async () => {
    const closed = makeSpawner();
    await closed.close();
    await expect(recordRun(closed, { command: "true" })).rejects.toMatchObject({ code: "closed" });
  });
});
