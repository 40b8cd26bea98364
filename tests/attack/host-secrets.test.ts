// Attacks on the host's secrets: an agent and its commands try to read the token, and to use the API with it.
import { readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AttackHost } from "./attack-host.ts";

let target: AttackHost;
let key: string;

beforeAll(async () => {
  target = await AttackHost.start();
  key = await target.open({ approvalPolicy: "approve-all" });
});
afterAll(() => target.close());

/** Lines that print the token where nothing stops them. */
const tricks: readonly (readonly [name: string, line: string])[] = [
  ["reading it", 'cat "$HOME_FOLDER/token"'],
  ["reading the host's root", 'cat "/proc/$HOST_PID/root$HOME_FOLDER/token"'],
  ["reading any process's root", 'cat /proc/[0-9]*/root"$HOME_FOLDER"/token'],
  ["reading the host's open files", "cat /proc/$HOST_PID/fd/* 2>/dev/null | head -c 1000000 | strings"],
  ["reading the host's memory", "head -c 1 /proc/$HOST_PID/mem"],
  ["unmounting", 'umount "$HOME_FOLDER"; umount -l "$HOME_FOLDER"; cat "$HOME_FOLDER/token"'],
  ["entering the first process's namespaces", 'nsenter -t 1 -m -p cat "$HOME_FOLDER/token"'],
  ["entering the host's namespaces", 'nsenter -t "$HOST_PID" -m cat "$HOME_FOLDER/token"'],
  ["mounting the parent elsewhere", 'mkdir m; mount --rbind "$(dirname "$HOME_FOLDER")" m; cat m/home/token'],
  ["a new user namespace", 'unshare -Urm sh -c "umount \\"$HOME_FOLDER\\"; cat \\"$HOME_FOLDER/token\\""'],
  ["a node of the disk", 'mknod disk b $(stat -c "%Hd %Ld" / ) && head -c 1 disk'],
  [
    "searching for it",
    'grep -rsl "$(printf holdfast)" "$HOME_FOLDER" | head -3; find "$HOME_FOLDER" -name token -exec cat {} +',
  ],
];

function withVariables(line: string): string {
  const { home, pid } = target.host;
  return `HOME_FOLDER='${home}' HOST_PID=${pid}; ${line}`;
}

describe("[V640] the token stays hidden from", () => {
  it.each(tricks)("[V640] a command by %s", async (_name, line) => {
    const step = { do: "terminal", command: "/bin/sh", args: ["-c", withVariables(line)] } as const;
    const [outcome] = (await target.play(key, [step])).outcomes;
    expect(outcome?.output).toBeTypeOf("string");
    expect(outcome?.output).not.toContain(target.host.token);
  });

  it.each(tricks)("[V640] the agent itself by %s", async (_name, line) => {
    const [outcome] = (await target.play(key, [{ do: "run", line: withVariables(line) }])).outcomes;
    expect(outcome?.output).toBeTypeOf("string");
    expect(outcome?.output).not.toContain(target.host.token);
  });

  it("[V640] their environments", async () => {
    const command = { do: "terminal", command: "env" } as const;
    const { outcomes } = await target.play(key, [{ do: "environment" }, command]);
    for (const { output } of outcomes) {
      expect(output).toBeTypeOf("string");
      expect(output).not.toContain(target.host.token);
    }
  });
});

describe("[V640] the host's other files are hidden", () => {
  it("[V640] the home folder looks empty", async () => {
    const { home } = target.host;
    expect(readdirSync(home)).toContain("token");
    const line = `ls -A '${home}'; ls -A '${path.join(home, "spool")}'`;
    const { outcomes } = await target.play(key, [
      { do: "run", line },
      { do: "terminal", command: "/bin/sh", args: ["-c", line] },
    ]);
    for (const { output } of outcomes) expect(output).not.toMatch(/token|holdfast\.db/);
  });

  it("[V640] neither the host's process nor its FIFOs are there", async () => {
    const line = `ls -d /proc/${target.host.pid}; ls "\${TMPDIR:-/tmp}"/holdfast-fifos*/* 2>/dev/null; true`;
    const { outcomes } = await target.play(key, [
      { do: "run", line },
      { do: "terminal", command: "/bin/sh", args: ["-c", line] },
    ]);
    for (const { output } of outcomes) expect(output?.split("\n")[0]).toMatch(/cannot access|No such file/);
    for (const { output } of outcomes) expect(output?.trim().split("\n")).toHaveLength(1);
  });
});
