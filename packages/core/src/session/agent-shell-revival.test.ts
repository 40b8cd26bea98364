// The built-in agent, a real one, killed between turns: it still has the history of the turns before.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { findByArgument, guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";

guardLeaks();
const newHost = useFakeHosts();
const stateFolder = mkdtempSync(path.join(tmpdir(), "core-shell-"));
afterAll(() => rmSync(stateFolder, { recursive: true }));

const repository = fileURLToPath(new URL("../../../..", import.meta.url));
const program = path.join(repository, "packages/agent-shell/dist/main.js");

/** The launch of the agent, with an argument by which its process is found. */
function shellConfig(mark: string): object {
  return {
    command: process.execPath,
    args: [program, mark],
    env: { HOLDFAST_SHELL_STATE: stateFolder },
    cwd: repository,
  };
}

test("[N43] the shell agent, killed between two turns, restarts with its history", async () => {
  const mark = crypto.randomUUID();
  const host = newHost({ agentConfig: { mine: shellConfig(mark) } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const { backendId } = session.state;
  expect(await session.chat("echo before-the-kill")).toMatchObject({ stop_reason: "end_turn" });
  const [found = ""] = findByArgument(mark);
  process.kill(Number(found.split(" ")[0]), "SIGKILL");
  await until(() => session.status.state === "stale");
  const { text } = await session.chat("echo after-the-kill");
  expect(text).toContain("after-the-kill");
  expect(session.state).toMatchObject({ backendId, lifecycle: { status: "ready" } });
  expect(session.state.contextLoss).toBeUndefined();
  await session.close();
  const kept = readFolder(stateFolder);
  expect(kept).toContain("before-the-kill");
  expect(kept).toContain("after-the-kill");
});

function readFolder(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(path.join(file.parentPath, file.name), "utf8"))
    .join("\n");
}
