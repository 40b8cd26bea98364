// A forwarded provider in a real process: what it is started with, what it is not, and what nobody gets to read.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "@holdfast/protocol";
import { afterAll, expect, test } from "vitest";
import { AgentEntries, type AgentEntry } from "../agent/agent-entry.ts";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { type LoneAgent, type LoneAgentOptions, useLoneAgents } from "../testing/lone-agent.ts";

guardLeaks();
/** A folder on the agents' PATH. */
const programs = mkdtempSync(path.join(tmpdir(), "core-programs-"));
afterAll(() => rmSync(programs, { recursive: true }));
/** The login shell's environment, of which the agent may know little. */
const newAgent = useLoneAgents({
  PATH: `${programs}:${process.env["PATH"]}`,
  ANTHROPIC_API_KEY: "login-anthropic",
  OPENAI_API_KEY: "login-openai",
  OPEN_AI_KEY: "login-open-ai",
  OPENAI_BASE_URL: "https://login.example",
  REALTIMEX_AI_API_KEY: "login-realtimex",
  QWEN_API_KEY: "login-qwen",
});

const secret = "sk-host-secret-42";
const hostEnvironment = { OPEN_AI_KEY: secret, ANTHROPIC_API_KEY: "sk-host-anthropic", HOST_ONLY: "1" };

/** Qwen as the catalogue knows it, played by the fake agent. */
function qwen(options: LoneAgentOptions): LoneAgent {
  const config = readConfig({});
  if (!config.ok) throw new Error(JSON.stringify(config.problems));
  const entry: AgentEntry = new AgentEntries(config.value, { command: "", args: [], version: "" }).find(
    "qwen",
  );
  const lone = newAgent({ entry, ...options });
  const fake = fileURLToPath(new URL("../testing/fake-agent.mjs", import.meta.url));
  const variables = Object.entries(lone.environment).map(([name, value]) => `export ${name}='${value}'`);
  const file = path.join(programs, "qwen");
  const lines = ["#!/bin/sh", '[ "$1" = --version ] && { echo 1.2.3; exit 0; }', ...variables];
  writeFileSync(file, [...lines, `exec '${process.execPath}' '${fake}' "$@"`, ""].join("\n"));
  chmodSync(file, 0o755);
  return lone;
}

test("[N36] the agent gets the mapped names with the host's values, and no other credentials", async () => {
  const learned: string[] = [];
  const onSecrets = (values: readonly string[]): void => void learned.push(...values);
  const lone = qwen({ forwardedProvider: "openai", deps: { hostEnvironment, onSecrets } });
  await lone.prompt("hello");
  const { args, env } = lone.heard.process;
  expect(args).toEqual(["--acp", "--auth-type", "openai"]);
  expect(env).toMatchObject({ OPENAI_API_KEY: secret, OPENAI_BASE_URL: "https://api.openai.com/v1" });
  for (const name of [
    "OPEN_AI_KEY",
    "ANTHROPIC_API_KEY",
    "REALTIMEX_AI_API_KEY",
    "QWEN_API_KEY",
    "HOST_ONLY",
  ]) {
    expect(env).not.toHaveProperty(name);
  }
  expect(learned).toEqual([secret]);
  expect(JSON.stringify([lone.state, lone.actions, lone.warnings])).not.toContain(secret);
});

test("[N36] without a provider an agent has its own credentials, and the host's are not touched", async () => {
  const lone = qwen({ deps: { hostEnvironment } });
  await lone.prompt("hello");
  const { args, env } = lone.heard.process;
  expect(args).toEqual(["--acp"]);
  expect(env).toMatchObject({ QWEN_API_KEY: "login-qwen", OPENAI_API_KEY: "login-openai" });
  expect(env).not.toHaveProperty("ANTHROPIC_API_KEY");
});

test("[N36] the model goes with the provider, and both hold for the restarted process", async () => {
  const options = { forwardedProvider: "openai", runtimeOptions: { model: "gpt-x" } };
  const lone = qwen({
    ...options,
    scripts: [{ capabilities: { loadSession: true } }],
    deps: { hostEnvironment },
  });
  await lone.prompt("hello");
  await lone.agent.close();
  lone.publish({ type: "session/stale", at: new Date(0).toISOString(), cause: "host-restarted" });
  const next = lone.restart();
  await next.connect();
  const started = lone.heard.processes.map(({ args, env }) => [...args, env["OPENAI_API_KEY"]]);
  const expected = ["--acp", "--auth-type", "openai", "--model", "gpt-x", secret];
  expect(started).toEqual([expected, expected]);
  await next.close();
});

test.each([
  ["openai", {}, "ACP_SESSION_INIT_FAILED", "OPEN_AI_KEY or OPENAI_API_KEY"],
  ["mistral", hostEnvironment, "ACP_INVALID_OPTION", "openai, anthropic, gemini, realtimexai"],
])(
  "[N35] without what it needs, an agent with the provider %s is not started",
  async (provider, host, code, names) => {
    const lone = qwen({ forwardedProvider: provider, deps: { hostEnvironment: host } });
    const message = expect.stringContaining(names) as string;
    await expect(lone.prompt("hello")).rejects.toMatchObject({ code, message });
    expect(lone.heard.processes).toEqual([]);
  },
);

test("[N36] the error of an agent that fails has no secrets", async () => {
  const redact = (text: string): string => text.replaceAll(secret, "[redacted]");
  const deps = { hostEnvironment, redact };
  const dies = qwen({
    forwardedProvider: "openai",
    scripts: [{ stderr: `401 for ${secret}\n`, initialize: [{ do: "exit", code: 1 }] }],
    deps,
  });
  await expect(dies.prompt("hello")).rejects.toThrow(/^(?!.*sk-host)[^]*401 for \[redacted\]/);
  const exits = qwen({
    forwardedProvider: "openai",
    scripts: [
      {
        prompts: {
          hello: [
            { do: "stderr", text: `401 for ${secret}\n` },
            { do: "exit", code: 1 },
          ],
        },
      },
    ],
    deps,
  });
  await expect(exits.prompt("hello")).rejects.toMatchObject({ name: "ConnectionError" });
  await until(() => exits.state.lastError);
  expect(exits.state.lastError?.stderrTail).toEqual(["401 for [redacted]"]);
  const refuses = qwen({
    forwardedProvider: "openai",
    scripts: [{ newSession: [{ do: "fail", code: -32_603, message: `Bad key ${secret}` }] }],
    deps,
  });
  await expect(refuses.prompt("hello")).rejects.toThrow("Bad key [redacted]");
});

test("[N36] the error of an agent that rejects a setting has no secrets either", async () => {
  const redact = (text: string): string => text.replaceAll(secret, "[redacted]");
  const configOptions = [{ id: "fast", name: "Fast", type: "boolean", currentValue: false }];
  const script = {
    session: { configOptions },
    set: [{ do: "fail", code: -32_603, message: `Bad key ${secret}` }],
  } as const;
  const lone = qwen({
    forwardedProvider: "openai",
    scripts: [script],
    deps: { hostEnvironment, redact },
  });
  await lone.prompt("hello");
  await expect(lone.change({ extras: { fast: "true" } })).rejects.toThrow(
    "fast: the agent rejects 'true': Bad key [redacted]",
  );
});
