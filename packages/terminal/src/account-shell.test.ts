// A user without an account, as in containers that run under any number.
import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { asOrdinaryUser, ordinaryUserId } from "./testing/ordinary-user.ts";

it.runIf(process.platform === "linux" && process.getuid?.() === 0)(
  "[T4] a user without an account and without SHELL has /bin/sh",
  () => {
    const folder = mkdtempSync(path.join(tmpdir(), "no-account-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    chownSync(folder, ordinaryUserId, ordinaryUserId);
    const [engine, shells] = ["index.js", "shell-integration/index.js"].map((file) =>
      JSON.stringify(fileURLToPath(new URL(`../dist/${file}`, import.meta.url))),
    );
    const script = `import { TerminalEngine } from ${engine};

      import { accountShell } from ${shells};
      import { userInfo } from "node:os";
      let name = "none";
      try { name = userInfo().username; } catch {}
      const engine = new TerminalEngine({ cwd: "/" });
      const terminal = await engine.open({ command: "echo ran" });
      await terminal.exited;
      console.log(name, accountShell(), terminal.output.tail().output.trim());
      await engine.close();`;
    const [program, ...words] = [...asOrdinaryUser, process.execPath, "--input-type=module", "-e"];
    const env = { PATH: process.env["PATH"], TMPDIR: folder, HOME: folder };
    const said = execFileSync(program, [...words, script], { cwd: "/", env, encoding: "utf8" });
    expect(said).toBe("none /bin/sh ran\n");
  },
);
