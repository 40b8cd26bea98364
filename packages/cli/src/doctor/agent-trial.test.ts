// Agents on trial: real processes that do well, want a sign-in, talk rubbish, hang, or end at once.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentEntry } from "@holdfast/core";
import { Spawner } from "@holdfast/terminal/process";
import { readConfig } from "@holdfast/protocol";
import { afterAll, describe, expect, it } from "vitest";
import { Paint } from "../console.ts";
import { identifyProcess } from "../serve/process-identity.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";
import { type AgentTrial, tryAgent } from "./agent-trial.ts";
import { findAgent } from "./agents.ts";
import { trialLines } from "./trial-report.ts";

const fakeAgent = fileURLToPath(new URL("../../../core/src/testing/fake-agent.mjs", import.meta.url));
const secret = "k-0123456789-secret";
const processPort = new Spawner({
  environment: { PATH: process.env["PATH"], HOME: "/nonexistent", GEMINI_API_KEY: secret },
});
afterAll(() => processPort.close());

function ownAgent(command: string, args: readonly string[], env: Record<string, string> = {}): AgentEntry {
  const config = readConfig({ agents: { mine: { command, args, env } } });
  if (!config.ok) throw new Error(JSON.stringify(config.problems));
  return findAgent(config.value, "mine");
}

/** An agent that does what a script says, with the file in which it writes down that it was started. */
function scripted(script: object): { readonly entry: AgentEntry; readonly record: string } {
  const folder = temporaryFolder();
  const place = (name: string): string => path.join(folder, name);
  writeFileSync(place("script.json"), JSON.stringify([script]));
  const env = { FAKE_AGENT_SCRIPT: place("script.json"), FAKE_AGENT_RECORD: place("record.ndjson") };
  return { entry: ownAgent(process.execPath, [fakeAgent], env), record: place("record.ndjson") };
}

function say(trial: AgentTrial): string {
  return trialLines(trial, new Paint(false)).join("\n");
}

function shellLine(line: string): AgentEntry {
  return ownAgent("/bin/sh", ["-c", line]);
}

async function problemOf(entry: AgentEntry, timeoutMs = 20_000): Promise<AgentTrial["problem"]> {
  return (await tryAgent({ entry, processPort, timeoutMs })).problem;
}

describe("agents doctor", () => {
  it("[C75] shows the handshake, what a session offers, stderr without secrets; nothing is left", async () => {
    const childFile = path.join(temporaryFolder(), "child");
    const commands = { sessionUpdate: "available_commands_update", availableCommands: [{ name: "plan" }] };
    const { entry, record } = scripted({
      name: "scripted",
      capabilities: { loadSession: true, promptCapabilities: { image: false, audio: true } },
      session: { modes: { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] } },
      newSession: [
        {
          do: "answer",
          result: { sessionId: "s", modes: { currentModeId: "ask", availableModes: [{ id: "ask" }] } },
        },
        { do: "update", update: commands },
      ],
      children: `echo $$ > ${childFile}; exec sleep 600`,
      stderr: `the key is ${secret}\n`,
      ignoresTerm: true,
    });
    const auth = { env: ["GEMINI_API_KEY"], files: [] };
    const trial = await tryAgent({ entry: { ...entry, auth }, processPort, timeoutMs: 20_000 });
    expect(trial).toMatchObject({
      agent: { id: "mine" },
      command: [process.execPath, fakeAgent],
      handshake: { protocolVersion: 1, agentInfo: { name: "scripted" } },
      session: { modes: { currentModeId: "ask" }, commands: ["plan"] },
      stderr: ["the key is [redacted]"],
      problem: undefined,
    });
    expect(trial.timings.initializeMs).toBeGreaterThan(0);
    const text = say(trial);
    for (const part of ["ACP 1", "loadSession, promptCapabilities.audio", "ask*", "/plan", "Ready to use"]) {
      expect(text).toContain(part);
    }
    const [started = ""] = readFileSync(record, "utf8").split("\n");
    const { pid } = (JSON.parse(started) as { started: { pid: number } }).started;
    expect(identifyProcess(pid)).toBeUndefined();
    expect(identifyProcess(Number(readFileSync(childFile, "utf8")))).toBeUndefined();
  });

  it("[C76] names the sign-in that an agent wants, and a refusal of another kind", async () => {
    const signIn = scripted({
      newSession: [{ do: "fail", code: -32_000, message: "Authentication required" }],
    });
    const auth = { env: ["GEMINI_API_KEY"], files: [], login: "gemini" };
    await expect(problemOf({ ...signIn.entry, auth })).resolves.toEqual({
      code: "sign-in-needed",
      message: "mine is not signed in: Authentication required",
      remedy: "To sign in, run `gemini`, or start the host with GEMINI_API_KEY in its environment.",
      command: "gemini",
    });
    const refusal = scripted({
      initialize: [{ do: "fail", code: -32_603, message: "no", data: { details: "old" } }],
    });
    await expect(problemOf(refusal.entry)).resolves.toMatchObject({
      code: "refused",
      message: 'mine rejected the handshake: no {"details":"old"} (-32603)',
    });
  });

  it("[C301] an agent that opens a session without a sign-in is not called usable, by its own word or by what was found", async () => {
    const status = (kind: string) => ({
      newSession: [
        {
          do: "notify" as const,
          method: "_auth/status_update",
          params: { authStatus: { kind, label: "Not logged in" } },
        },
        { do: "answer" as const, result: { sessionId: "s" } },
      ],
    });
    const auth = { env: ["NO_SUCH_KEY"], files: [], login: "mine login" };
    const needed = { code: "sign-in-needed", command: "mine login" };
    await expect(problemOf({ ...scripted(status("none")).entry, auth })).resolves.toMatchObject({
      ...needed,
      message: "mine is not signed in: Not logged in",
    });
    await expect(problemOf({ ...scripted({}).entry, auth })).resolves.toMatchObject(needed);
    await expect(problemOf({ ...scripted(status("api_key")).entry, auth })).resolves.toBeUndefined();
  });

  it.each([
    ["not-installed", ownAgent("no-such-agent", []), "there is no no-such-agent on the PATH"],
    [
      "speaks-no-acp",
      shellLine("echo 'Welcome, friend!'; exec sleep 600"),
      "output begins with: Welcome, friend!",
    ],
    ["silent", shellLine("trap '' TERM; while :; do sleep 600; done"), "did not respond within 1 s"],
    [
      "ended",
      shellLine("echo 'no licence' >&2; exit 3"),
      "ended (exit code 3) before the handshake was complete. Its last output: no licence",
    ],
  ])("[C76] says in words what is wrong with an agent: %s", async (code, entry, words) => {
    const problem = await problemOf(entry, 1000);
    expect(problem).toMatchObject({ code });
    expect(problem?.message).toContain(words);
    expect(problem?.remedy ?? problem?.command).toBeDefined();
  });

  it("[C75] tries the built-in agent without a host, with 0", { timeout: 60_000 }, async () => {
    const words = ["agents", "doctor", "shell", "--json", "--home", temporaryFolder()];
    const run = new ProgramRun(words, { program: "main", environment: { SHELL: "/usr/bin/oddshell" } });
    expect(await run.end()).toEqual({ code: 0, signal: null });
    expect(JSON.parse(run.stdout)).toMatchObject({
      agent: { id: "shell" },
      session: { modes: { currentModeId: "ask" } },
    });
  });

  it("[C75] names the agents there are when it is asked for another, with 6", () => {
    const config = readConfig({});
    if (!config.ok) throw new Error(JSON.stringify(config.problems));
    const find = (): AgentEntry => findAgent(config.value, "nobody");
    expect(find).toThrow(expect.objectContaining({ code: "ACP_UNKNOWN_AGENT", exitCode: 6 }) as Error);
    expect(find).toThrow(expect.objectContaining({ remedy: expect.stringContaining("gemini-cli") }) as Error);
  });
});
