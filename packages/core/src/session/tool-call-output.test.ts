// The output and exit of commands, kept with the tool calls that show them.
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { ask, type Step, update } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const call = (fields: object): Step => update("tool_call", { toolCallId: "c", kind: "execute", ...fields });
const more = (fields: object): Step => update("tool_call_update", { toolCallId: "c", ...fields });
const shows = (terminalId: string): object => ({ content: [{ type: "terminal", terminalId }] });
const run = (line: string): Step => ask("run", "terminal/create", { command: "/bin/sh", args: ["-c", line] });
const byHost = shows("$run.terminalId");
const exits = ask("exit", "terminal/wait_for_exit", { terminalId: "$run.terminalId" });
const release = ask("release", "terminal/release", { terminalId: "$run.terminalId" });
const info = { terminal_info: { terminal_id: "c" } };
const output = (data: string): object => ({ terminal_output: { terminal_id: "c", data } });
const exit = { terminal_exit: { terminal_id: "c", exit_code: 4, signal: null } };

async function play(steps: readonly Step[]) {
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const turn = await session.turn("go");
  const shown = session.toolCalls[0]?.content.find((content) => content.type === "terminal");
  return { turn, shown: shown ?? expect.fail("No terminal is shown"), session };
}

test("[N300] a call that ends keeps the output and exit of the command that the host ran for it", async () => {
  const { shown } = await play([
    call({ title: "Build" }),
    run("echo built; exit 3"),
    more({ status: "in_progress", ...byHost }),
    exits,
    release,
    more({ status: "failed" }),
  ]);
  expect(shown.result).toEqual({ exit: { kind: "code", exitCode: 3 }, preview: "built\n", skippedBytes: 0 });
});

test("[N300] a call that ends keeps what the agent reported of a command that it ran itself", async () => {
  const { shown } = await play([
    call({ title: "Build", ...shows("c"), _meta: info }),
    more({ _meta: output("built\n") }),
    more({ status: "completed", _meta: exit }),
  ]);
  expect(shown.result).toEqual({ exit: { kind: "code", exitCode: 4 }, preview: "built\n", skippedBytes: 0 });
});

test("[N300] at most the last 16 KiB are kept, in whole characters", async () => {
  const { shown, session } = await play([
    call({ title: "Flood", ...shows("c"), _meta: info }),
    more({ _meta: output("\u{1F600}".repeat(5000)) }),
    more({ _meta: output("€!") }),
    more({ status: "completed", _meta: exit }),
  ]);
  // 4 bytes do not fit in whole: 16,384 − 4 leaves space for 4,095 characters of 4 bytes.
  expect(shown.result).toMatchObject({ preview: `${"\u{1F600}".repeat(4095)}€!`, skippedBytes: 905 * 4 });
  expect(JSON.stringify(session.chatState).length).toBeLessThan(32 * 1024);
});

test("[N301] an exit after the end of its call is added while the turn runs, and changes nothing else of the call", async () => {
  const byAgent = await play([
    call({ title: "Serve", ...shows("c"), _meta: info }),
    more({ status: "completed", _meta: output("up\n") }),
    more({ _meta: output("down\n") }),
    more({ _meta: exit }),
  ]);
  expect(byAgent.shown.result).toEqual({ preview: "up\n", skippedBytes: 0 });
  expect(byAgent.shown.lateResult).toMatchObject({ exit: { exitCode: 4 }, preview: "up\ndown\n" });
  expect(byAgent.session.toolCalls[0]?.status).toBe("completed");
  const killed = await play([
    call({ title: "Serve" }),
    run("echo up; exec sleep 60"),
    { do: "poll", terminalId: "$run.terminalId", text: "up" },
    more({ status: "completed", ...byHost }),
    ask("kill", "terminal/kill", { terminalId: "$run.terminalId" }),
    exits,
  ]);
  expect(killed.shown.result).toEqual({ preview: "up\n", skippedBytes: 0 });
  expect(killed.shown.lateResult).toMatchObject({ exit: { signal: "SIGTERM" }, preview: "up\n" });
});

test("[N301] a turn that ends before its call keeps the output so far", async () => {
  const { shown, session } = await play([
    call({ title: "Build", status: "in_progress", ...shows("c"), _meta: info }),
    more({ _meta: output("half\n") }),
  ]);
  expect(session.toolCalls[0]?.status).toBe("cancelled");
  expect(shown.result).toMatchObject({ preview: "half\n" });
});
