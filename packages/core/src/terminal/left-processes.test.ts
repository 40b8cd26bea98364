// Processes that outlive their command: shown with its terminal, ended by killing it, and forgotten when they end.
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TerminalState, makeId, terminalUri } from "@holdfast/ahp";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks, uniqueSeconds, untilGone } from "../testing/detector.ts";
import { type FakeHost, ME, useFakeHosts } from "../testing/fake-host.ts";
import { ask } from "../testing/script.ts";
import { WatchingClient } from "../testing/terminal-viewer.ts";

guardLeaks();
const newHost = useFakeHosts();

interface Scene {
  readonly fake: FakeHost;
  readonly id: string;
  readonly watching: WatchingClient;
}

/** An agent's command that has exited. */
async function run(command: string, more: object = {}): Promise<Scene> {
  const id = { terminalId: "$made.terminalId" };
  const steps = [
    ask("made", "terminal/create", { command, ...more }),
    ask("exit", "terminal/wait_for_exit", id),
    ask("release", "terminal/release", id),
  ];
  const fake = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await fake.open({ approvalPolicy: "approve-all" });
  await session.turn("go");
  const { terminalId } = await session.agent.result("made");
  const uri = terminalUri(makeId("terminal", String(terminalId)));
  const watching = await WatchingClient.open(fake.terminals, uri, "ann");
  return { fake, id: String(terminalId), watching };
}

const hasLeft = ({ leftovers }: TerminalState): boolean => leftovers !== undefined;

for (const kind of ["text", "tty"] as const) {
  test(`[U324] what a ${kind} command leaves running stands with its terminal, and killing it ends that`, async () => {
    const seconds = uniqueSeconds();
    const more = kind === "tty" ? { _meta: { holdfast: { tty: true } } } : {};
    // A tty's hang-up would end what has not left its session yet.
    const { fake, id, watching } = await run(
      `trap '' HUP; setsid sleep ${seconds} > /dev/null 2>&1 < /dev/null & exit 3`,
      more,
    );
    const { lifecycle, leftovers } = await watching.has(hasLeft);
    expect(lifecycle).toMatchObject({ status: "exited", exit: { exitCode: 3 } });
    expect(leftovers).toMatchObject({
      count: 1,
      processes: [{ pid: expect.any(Number), command: expect.stringContaining(`sleep`) }],
    });
    expect(fake.host.terminals.list(ME)).toMatchObject([{ id, leftovers: { count: 1 } }]);
    await until(() => fake.host.hub.list("root")[0]?.state.terminals[0]?.leftCount === 1);
    await fake.host.terminals.kill(id, ME);
    expect(await untilGone(seconds)).toEqual([]);
    await watching.has((state) => !hasLeft(state));
    await until(() => fake.host.hub.list("root")[0]?.state.terminals[0]?.leftCount === undefined);
    expect(fake.host.terminals.list(ME)[0]).not.toHaveProperty("leftovers");
    await fake.host.terminals.kill(id, ME);
  });
}

test("[U324] a command that leaves nothing publishes nothing about it, also when its children end a moment after it", async () => {
  const { watching } = await run("(true | true | true) & exit 0");
  await watching.has(({ lifecycle }) => lifecycle.status === "exited");
  expect(watching.actionTypes).not.toContain("terminal/leftoversChanged");
});

test("[U324] a leftover process that ends is gone from its terminal: at once where it held the output", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-left-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const gate = path.join(folder, "gate");
  execFileSync("mkfifo", [gate]);
  // For both, so that no open waits for a reader that has gone.
  const writable = openSync(gate, "r+");
  onTestFinished(() => closeSync(writable));
  const { watching } = await run(`setsid sh -c 'read line < ${gate}; echo late' & exit 0`);
  await watching.has(hasLeft);
  writeSync(writable, "go\n");
  await watching.sees("late");
  expect(await watching.has((state) => !hasLeft(state))).toMatchObject({ lifecycle: { status: "exited" } });
});

test("[U324] a leftover process that ends unseen is gone from the list after the next look at it", async () => {
  const seconds = uniqueSeconds();
  const { fake, watching } = await run(`setsid sleep ${seconds} > /dev/null 2>&1 < /dev/null & exit 0`);
  const { leftovers } = await watching.has(hasLeft);
  process.kill(leftovers?.processes[0]?.pid ?? expect.fail("No process is named"), "SIGKILL");
  await until(() => {
    const [listed] = fake.host.terminals.list(ME);
    return listed !== undefined && listed.leftovers === undefined;
  });
});

test("[U324] more than eight processes are counted, and eight are named", async () => {
  const seconds = uniqueSeconds();
  const line = `for i in 1 2 3 4 5 6 7 8 9 10; do setsid sleep ${seconds} > /dev/null 2>&1 < /dev/null & done`;
  const { fake, id, watching } = await run(line);
  const { leftovers } = await watching.has((state) => state.leftovers?.count === 10);
  expect(leftovers?.processes).toHaveLength(8);
  await fake.host.terminals.kill(id, ME);
  expect(await untilGone(seconds)).toEqual([]);
});
