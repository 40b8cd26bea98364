// Preparation of a request for a shell.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { prepareShell, removeShellFolder } from "./prepare-shell.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-home-"));
const env = { HOME: "/home/somebody" };

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("[T88] prepareShell", () => {
  it.each([
    ["/bin/sh", [], "sh"],
    ["nu", ["-i"], "nu"],
    ["/bin/bash", ["-c", "ls"], "-c"],
    ["bash", ["--norc"], "--norc"],
    ["/bin/zsh", ["-f"], "-f"],
    ["/usr/bin/fish", ["-l", "script.fish"], "script.fish"],
  ])("[T88] leaves %s %j as it is and says why", async (shell, args, why) => {
    const prepared = await prepareShell({ shell, args, env, folder });
    expect(prepared).toEqual({
      integrated: false,
      command: shell,
      args,
      env,
      reason: expect.stringContaining(why),
    });
  });

  it("[T88] a folder that cannot be written leaves the shell as it is", async () => {
    const prepared = await prepareShell({ shell: "bash", env, folder: path.join(folder, "absent") });
    expect(prepared).toMatchObject({ integrated: false, env, reason: expect.stringContaining("ENOENT") });
  });

  it("[T88] without a folder takes the runtime folder of the user, or another that is there", async () => {
    const first = await prepareShell({ shell: "bash", env: { XDG_RUNTIME_DIR: folder } });
    const second = await prepareShell({
      shell: "bash",
      env: { XDG_RUNTIME_DIR: path.join(folder, "absent") },
    });
    if (!first.integrated || !second.integrated) throw new Error("not integrated");
    expect(path.dirname(path.dirname(first.folder))).toBe(folder);
    expect(existsSync(second.folder)).toBe(true);
    expect(existsSync(path.join(folder, "absent"))).toBe(false);
    await removeShellFolder(first);
    await removeShellFolder(second);
  });

  it.each(["bash", "/bin/zsh", "/usr/bin/fish"])(
    "[T88] %s gets a nonce in a separate file",
    async (shell) => {
      const first = await prepareShell({ shell, env, folder });
      const second = await prepareShell({ shell, args: ["-il"], env, folder });
      if (!first.integrated || !second.integrated) throw new Error("not integrated");
      expect(first.nonce).toMatch(/^[0-9a-f]{32}$/);
      expect(second.nonce).not.toBe(first.nonce);
      const file = path.join(first.folder, "nonce");
      expect(readFileSync(file, "utf8")).toBe(`${first.nonce}\n`);
      expect(statSync(first.folder).mode & 0o777).toBe(0o700);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(JSON.stringify([first.args, first.env])).not.toContain(first.nonce);
      const scripts = [...first.args, ...Object.values(first.env)].flatMap(
        (text) => text.match(/\/[^']*scripts[^']*/) ?? [],
      );
      expect(scripts.length).toBe(1);
      expect(scripts.every((script) => existsSync(script))).toBe(true);
      await removeShellFolder(first);
      await removeShellFolder(second);
      expect(existsSync(first.folder)).toBe(false);
    },
  );

  it("[T88] keeps a ZDOTDIR apart from ours", async () => {
    const prepared = await prepareShell({ shell: "zsh", env: { ZDOTDIR: "/mine" }, folder });
    expect(prepared.env).toMatchObject({ HOLDFAST_USER_ZDOTDIR: "/mine" });
    await removeShellFolder(prepared);
  });
});
