// The host as a service: a unit that systemd accepts, written, started, asked about and removed.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runWords } from "../testing/command-run.ts";
import { makePath } from "../testing/doctor-run.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";
import { KEEPER_UNIT_NAME, unitPath, userKeeperUnit, userUnit } from "./systemd.ts";

const systemUnit = fileURLToPath(new URL("../../../../packaging/holdfast.service", import.meta.url));
const systemKeeperUnit = fileURLToPath(
  new URL("../../../../packaging/holdfast-keeper.service", import.meta.url),
);
const hasAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0;

/** What systemd has to say against a unit; nothing when it is fine. */
function verify(unit: string, kind: "--user" | "--system"): string {
  const folder = temporaryFolder();
  const file = path.join(folder, "holdfast.service");
  writeFileSync(file, unit);
  const environment = { ...process.env, XDG_RUNTIME_DIR: folder, HOME: folder };
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", kind, file], {
    encoding: "utf8",
    env: environment,
  });
  // Of other units on this machine it may have much to say.
  const own = stderr.split("\n").filter((line) => line.includes("holdfast"));
  return status === 0 ? own.join("\n") : `${status}: ${stderr}`;
}

function settingsOf(unit: string): Map<string, string> {
  const lines = unit.split("\n").filter((line) => /^[A-Z]\w+=/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

describe("[C80] the unit", () => {
  it("[C80] passes systemd's own check, for one user and for the machine", { timeout: 60_000 }, (context) => {
    if (!hasAnalyze) return context.skip("systemd-analyze is not installed");
    const odd = path.join(temporaryFolder(), 'a $HOME 100% "folder"');
    mkdirSync(odd);
    const user = userUnit([process.execPath, "--title=a b", "/opt/holdfast/main.js", "serve", "--home", odd]);
    expect(verify(user, "--user")).toBe("");
    expect(verify(userKeeperUnit([process.execPath, "/opt/holdfast/main.js", "keeper"]), "--user")).toBe("");
    expect(verify(readFileSync(systemUnit, "utf8"), "--system")).toBe("");
    expect(verify(user.replace("KillMode=mixed", "KillMode=sometimes"), "--user")).toContain("kill mode");
  });

  it("[C80] lets the drain work, holds trees in a separate cgroup, and is the same for the machine", () => {
    const user = settingsOf(userUnit(["/usr/bin/node", "main.js", "serve"]));
    const machine = settingsOf(readFileSync(systemUnit, "utf8"));
    expect(Object.fromEntries(user)).toMatchObject({
      Restart: "on-failure",
      KillMode: "mixed",
      TimeoutStopSec: "30",
      Delegate: "yes",
    });
    const keeper = settingsOf(userKeeperUnit(["/usr/bin/node", "main.js", "keeper"]));
    expect(Object.fromEntries(keeper)).toMatchObject({ Delegate: "yes", KillMode: "mixed" });
    expect(user.get("Wants")).toBe(KEEPER_UNIT_NAME);
    const keeperOfMachine = settingsOf(readFileSync(systemKeeperUnit, "utf8"));
    for (const [name, value] of keeper) {
      if (name !== "ExecStart") expect([name, keeperOfMachine.get(name)]).toEqual([name, value]);
    }
    const differs = new Set(["ExecStart", "WantedBy", "After"]);
    const shared = [...user].filter(([name]) => !differs.has(name));
    for (const [name, value] of shared) expect([name, machine.get(name)]).toEqual([name, value]);
  });

  it("[C80] quotes what systemd would read as its own", () => {
    const unit = userUnit(["/usr/bin/node", "/a b/main.js", "serve", "--home", '/home/100%/$x/"y"\\z']);
    expect(settingsOf(unit).get("ExecStart")).toBe(
      String.raw`/usr/bin/node "/a b/main.js" serve --home "/home/100%%/$$x/\"y\"\\z"`,
    );
  });

  it("[C80] lies where the user's units lie", () => {
    const rest = "systemd/user/holdfast.service";
    expect(unitPath({ HOME: "/home/a" })).toBe(`/home/a/.config/${rest}`);
    expect(unitPath({ HOME: "/home/a", XDG_CONFIG_HOME: "/etc/a" })).toBe(`/etc/a/${rest}`);
    expect(unitPath({ HOME: "/home/a", XDG_CONFIG_HOME: "relative" })).toBe(`/home/a/.config/${rest}`);
  });
});

describe("[C81] service", () => {
  it("[C81] writes a unit that starts this very program, and removes it", { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const calls = path.join(folder, "calls");
    // The machine's systemd would start real services; this one only records its calls.
    const PATH = makePath(path.join(folder, "bin"), {
      systemctl: `echo "$@" >> ${calls}; case "$2" in is-system-running) echo running;; show) printf 'ActiveState=inactive\\nUnitFileState=enabled\\nMainPID=0\\n';; esac`,
    });
    const environment = { PATH, HOME: folder, XDG_CONFIG_HOME: path.join(folder, "config") };
    const file = unitPath(environment);
    const words = ["service", "install", "--json", "--home", path.join(folder, "h")];
    const installing = new ProgramRun(words, { program: "main", environment });
    expect(await installing.end()).toEqual({ code: 0, signal: null });
    expect(installing.stdout).toBe(`${JSON.stringify({ file, started: true })}\n`);
    const start = (settingsOf(readFileSync(file, "utf8")).get("ExecStart") ?? "").split(" ");
    expect(start[0]).toBe(process.execPath);
    expect(start.slice(-4)).toEqual([
      expect.stringContaining("main.js"),
      "serve",
      "--home",
      path.join(folder, "h"),
    ]);
    const keeperFile = unitPath(environment, KEEPER_UNIT_NAME);
    expect(settingsOf(readFileSync(keeperFile, "utf8")).get("ExecStart")).toBe(
      [...start.slice(0, -3), "keeper", ...start.slice(-2)].join(" "),
    );
    // What ExecStart says is a program that runs.
    expect(execFileSync(start[0] ?? "", [...start.slice(1, -2), "--help"], { encoding: "utf8" })).toContain(
      "serve",
    );
    const status = await runWords(["service", "status"], environment);
    expect(status).toMatchObject({ code: 4, stdout: `inactive, starts at login: ${file}\n` });
    expect((await runWords(["service", "uninstall"], environment)).code).toBe(0);
    expect([file, keeperFile].map((each) => existsSync(each))).toEqual([false, false]);
    expect(readFileSync(calls, "utf8").split("\n")).toEqual([
      "--user is-system-running",
      "--user daemon-reload",
      "--user enable --now holdfast.service",
      "--user show holdfast.service --property=ActiveState,UnitFileState,MainPID",
      "--user disable --now holdfast.service",
      "--user stop holdfast-keeper.service",
      "--user daemon-reload",
      "",
    ]);
  });

  it("[C82] without systemd says so, with 7; still prints the unit", { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const environment = { PATH: makePath(path.join(folder, "bin")), HOME: folder, XDG_CONFIG_HOME: "" };
    const install = await runWords(["service", "install", "--json"], environment);
    const print = await runWords(["service", "install", "--print"], environment);
    expect(install.code).toBe(7);
    expect(JSON.parse(install.stderr)).toMatchObject({
      error: {
        code: "SYSTEMD_MISSING",
        message: "This machine has no systemd: there is no systemctl.",
        remedy: expect.stringContaining("holdfast serve") as string,
      },
    });
    expect(print).toMatchObject({ code: 0, stderr: "" });
    expect(print.stdout).toContain("ExecStart=");
    expect(existsSync(unitPath(environment))).toBe(false);
  });
});
