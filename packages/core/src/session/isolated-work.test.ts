// Everyday work in isolated sessions: background servers, git worktrees and programs with their own sandboxes.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { lastingFolder } from "../testing/lasting-folder.ts";
import { ask, type Step } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const folder = realpathSync(mkdtempSync(path.join(lastingFolder(), ".isolated-work-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const person = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
const git = (...args: string[]): string => execFileSync("git", [...person, ...args], { encoding: "utf8" });

/** Runs a command in a terminal of the host and gives its output. */
function run(name: string, command: string): Step[] {
  const terminalId = `$${name}.terminalId`;
  return [
    ask(name, "terminal/create", { command }),
    ask(`${name}Exit`, "terminal/wait_for_exit", { terminalId }),
    ask(`${name}Output`, "terminal/output", { terminalId }),
    ask(`${name}Release`, "terminal/release", { terminalId }),
  ];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

const levels = ["none", "guard", "workspace"] as const;

describe.runIf(process.platform === "linux").each(levels)("work under %s", (level) => {
  test("[V647] a server started with & outlives its turn, and a command of the next turn ends it", async () => {
    const port = await freePort();
    const program = `require("http").createServer((_, response) => response.end("hello")).listen(${port}, "127.0.0.1", () => console.log("up"))`;
    const serve = `'${process.execPath}' -e '${program}' > log 2>&1 & echo $! > pid; until grep -q up log; do sleep 0.05; done`;
    const host = newHost({
      config: { isolation: { level } },
      agents: {
        mine: {
          prompts: {
            serve: run("serve", serve),
            stop: run("stop", "kill $(cat pid) && echo ended"),
          },
        },
      },
    });
    const session = await host.open();
    await session.turn("serve");
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(await response.text()).toBe("hello");
    await session.turn("stop");
    expect(await session.agent.result("stopOutput")).toMatchObject({ output: "ended\n" });
    await vi.waitFor(() => expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow("fetch failed"));
  });

  test("[V648] git commits in a worktree whose repository lies elsewhere, and runs its hooks", async () => {
    const main = path.join(folder, `main-${level}`);
    const tree = path.join(folder, `tree-${level}`);
    git("init", "-q", main);
    git("-C", main, "commit", "-q", "--allow-empty", "-m", "first");
    writeFileSync(path.join(main, ".git/hooks/pre-commit"), "#!/bin/sh\necho ran > hook-ran\n", {
      mode: 0o755,
    });
    git("-C", main, "worktree", "add", "-q", tree);
    const line = `echo x > file && git add file && git ${person.join(" ")} commit -qm second; git log --oneline | wc -l`;
    const host = newHost({
      config: { isolation: { level } },
      agents: { mine: { prompts: { commit: run("commit", line) } } },
    });
    const session = await host.open({ cwd: tree });
    await session.turn("commit");
    expect(await session.agent.result("commitOutput")).toMatchObject({ output: "2\n" });
    expect(git("-C", tree, "log", "--format=%s")).toBe("second\nfirst\n");
    expect(readFileSync(path.join(tree, "hook-ran"), "utf8")).toBe("ran\n");
  });

  test("[V649] a program can use bubblewrap itself, as codex does for its commands", async ({ skip }) => {
    // Root gets no new /proc in there: that one would be writable where the sandbox's is not.
    const proc = process.getuid?.() === 0 ? "" : "--proc /proc";
    const nested = `bwrap --unshare-user --unshare-pid --ro-bind / / ${proc} --dev /dev sh -c`;
    const line = `${nested} 'echo inside; echo x > made' 2>&1; ls`;
    const host = newHost({
      config: { isolation: { level } },
      agents: { mine: { prompts: { nest: run("nest", line) } } },
    });
    const session = await host.open();
    const { backend = "none" } = session.status.isolation ?? {};
    skip(level !== "none" && !backend.startsWith("bubblewrap"), `${backend} allows no nested sandbox`);
    await session.turn("nest");
    const { output } = (await session.agent.result("nestOutput")) as { output: string };
    expect(output).toMatch(/^inside\n.*Read-only file system\n$/);
  });
});

test.runIf(process.platform === "linux")(
  "[V650] workspace creates ~/.cache and ~/.npm, so that the first installation finds a cache to write to",
  async () => {
    const home = mkdtempSync(path.join(folder, "home-"));
    vi.stubEnv("HOME", home);
    const line = `cd ${home} && echo x > .npm/made && echo x > .cache/made; echo x > made; ls -A`;
    const host = newHost({
      config: { isolation: { level: "workspace" } },
      agents: { mine: { prompts: { write: run("write", line) } } },
    });
    try {
      const session = await host.open();
      await session.turn("write");
      const { output } = (await session.agent.result("writeOutput")) as { output: string };
      expect(output).toMatch(/\n\.cache\n\.npm\n$/);
      expect(readFileSync(path.join(home, ".npm/made"), "utf8")).toBe("x\n");
    } finally {
      vi.unstubAllEnvs();
    }
  },
);
