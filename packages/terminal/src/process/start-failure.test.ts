// Commands that the kernel does not start: the error names what is wrong with the program or the folder.
import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { asOrdinaryUser, ordinaryUserId } from "../testing/ordinary-user.ts";
import { recordRun } from "../testing/record-run.ts";
import { Spawner } from "./spawner.ts";

guardLeaks();

function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "start-failure-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe.skipIf(process.platform === "win32")("a command that cannot be started", () => {
  it.each(["helper", "child_process"] as const)(
    "[T708] for its interpreter is the request's fault (%s)",
    async (forkBy) => {
      const folder = makeFolder();
      const spawner = new Spawner({ environment: process.env, forkBy });
      onTestFinished(() => spawner.close());
      writeFileSync(path.join(folder, "plain"), "");
      const scripts = [
        ["windows", "#!/bin/sh\r\necho hi\r\n", /windows.*interpreter.*line ends/],
        ["missing", "#!/no/such/interpreter\necho hi\n", /missing.*interpreter.*first line/],
        ["locked", `#!${path.join(folder, "plain")}\n`, /locked.*permission/],
      ] as const;
      for (const [name, text, message] of scripts) {
        const command = path.join(folder, name);
        writeFileSync(command, text, { mode: 0o755 });
        // A cgroup is joined by a shell, which reports the same as the command's output.
        const request = { command, args: ["x"], tree: "process-group" } as const;
        await expect(recordRun(spawner, request)).rejects.toMatchObject({
          code: "program_not_executable",
          field: "command",
          rpcCode: -32602,
          message: expect.stringMatching(message) as string,
        });
      }
    },
  );

  it("[T708] in a folder that its user cannot enter is the request's fault", () => {
    const isRoot = process.getuid?.() === 0;
    const folder = makeFolder();
    mkdirSync(path.join(folder, "closed", "inside"), { recursive: true });
    const engine = fileURLToPath(new URL("../../dist/process/index.js", import.meta.url));
    const script = `import { Spawner } from ${JSON.stringify(engine)};
      import { chmodSync } from "node:fs";
      chmodSync("closed", 0o600);
      for (const forkBy of ["helper", "child_process"]) {
        const spawner = new Spawner({ environment: {}, forkBy });
        for (const cwd of ["closed", "closed/inside"]) {
          const request = { kind: "text", command: "/bin/true", cwd: process.cwd() + "/" + cwd, env: {}, tree: "process-group" };
          const sink = { bytes() {}, exit() {}, end() {} };
          await spawner.start(request, sink).catch(({ code, field, message }) => console.log(code, field, message));
        }
        await spawner.close();
      }
      chmodSync("closed", 0o700);`;
    if (isRoot) {
      for (const name of ["", "closed", "closed/inside"]) {
        chownSync(path.join(folder, name), ordinaryUserId, ordinaryUserId);
      }
    }
    const node = [process.execPath, "--input-type=module", "-e", script];
    const [program = "", ...args] = isRoot ? [...asOrdinaryUser, ...node] : node;
    const env = { PATH: process.env["PATH"], TMPDIR: folder };
    const lines = execFileSync(program, args, { cwd: folder, env, encoding: "utf8" }).trim().split("\n");
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line).toMatch(/^directory_not_found cwd .*closed.* cannot be entered/);
  });
});
