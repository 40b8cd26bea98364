// A provider's credentials on their way from the host's environment to an agent.
import { readConfig } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { AgentEntries } from "./agent-entry.ts";
import { type Environment, type ProviderForwarding, forwardProvider } from "./provider-forwarding.ts";

function forward(agent: string, provider: string, environment: Environment): ProviderForwarding {
  const config = readConfig({});
  if (!config.ok) throw new Error(JSON.stringify(config.problems));
  const entries = new AgentEntries(config.value, { command: "node", args: [], version: "0" });
  return forwardProvider(entries.find(agent), provider, environment);
}

test("[N34] the host's variables become those that the agent reads, and nothing else is set", () => {
  const environment = {
    REALTIMEX_AI_API_KEY: "rtx-secret",
    REALTIMEX_AI_BASE_PATH: "https://rtx.example/v1",
    OPENAI_API_KEY: "another",
    HOME: "/root",
  };
  const { args, variables, secrets } = forward("qwen", "realtimexai", environment);
  expect(args).toEqual(["--auth-type", "openai"]);
  expect(variables).toEqual({ OPENAI_API_KEY: "rtx-secret", OPENAI_BASE_URL: "https://rtx.example/v1" });
  expect(secrets).toEqual(["rtx-secret"]);
});

test("[N34] the first variable that is set counts, then the catalogue's fallback", () => {
  const variables = (environment: Environment): object => forward("qwen", "openai", environment).variables;
  const official = "https://api.openai.com/v1";
  expect(variables({ OPEN_AI_KEY: "first", OPENAI_API_KEY: "second" })).toEqual({
    OPENAI_API_KEY: "first",
    OPENAI_BASE_URL: official,
  });
  expect(variables({ OPEN_AI_KEY: "", OPENAI_API_KEY: "second", OPENAI_BASE_URL: "https://mine" })).toEqual({
    OPENAI_API_KEY: "second",
    OPENAI_BASE_URL: "https://mine",
  });
});

test("[N34] a variable that is not set and not needed is not set for the agent either", () => {
  expect(forward("claude", "anthropic", { ANTHROPIC_API_KEY: "key" }).variables).toEqual({
    ANTHROPIC_API_KEY: "key",
  });
});

test("[N34] RealtimeX needs its key alone; its address can be set", () => {
  const { variables, args } = forward("qwen", "realtimexai", { REALTIMEX_AI_API_KEY: "key" });
  expect(variables).toEqual({
    OPENAI_API_KEY: "key",
    OPENAI_BASE_URL: "https://realtimexai-llm-provider.realtimex.ai",
  });
  expect(args).toEqual(["--auth-type", "openai"]);
  const own = { REALTIMEX_AI_API_KEY: "key", REALTIMEX_AI_BASE_PATH: "http://127.0.0.1:9/v1" };
  expect(forward("qwen", "realtimexai", own).variables["OPENAI_BASE_URL"]).toBe("http://127.0.0.1:9/v1");
});

test("[N34] the password in an address is a secret too", () => {
  const environment = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: "https://me:hidden@gateway.example" };
  expect(forward("claude", "anthropic", environment).secrets).toEqual([
    "key",
    "hidden",
    "https://me:hidden@gateway.example",
  ]);
});

test("[N35] missing credentials are listed, each with the names it may have, and no value is shown", () => {
  const failure = { code: "ACP_SESSION_INIT_FAILED", status: 502 };
  expect(() => forward("qwen", "openai", { ANTHROPIC_API_KEY: "sk-other", OPEN_AI_KEY: "" })).toThrow(
    expect.objectContaining({
      ...failure,
      message:
        "The provider openai cannot be forwarded to Qwen CLI: set OPEN_AI_KEY or OPENAI_API_KEY in the host's environment, and restart the host.",
    }) as Error,
  );
  expect(() => forward("qwen", "realtimexai", {})).toThrow(
    expect.objectContaining({
      ...failure,
      details: { provider: "realtimexai", missing: ["REALTIMEX_AI_API_KEY"] },
    }) as Error,
  );
});

test.each([
  ["qwen", "mistral", "openai, anthropic, gemini, realtimexai"],
  ["claude", "openai", "anthropic"],
  ["qwen", "constructor", "openai, anthropic, gemini, realtimexai"],
])("[N35] %s does not take %s, and those that it takes are named", (agent, provider, names) => {
  expect(() => forward(agent, provider, process.env)).toThrow(
    expect.objectContaining({
      code: "ACP_INVALID_OPTION",
      message: expect.stringContaining(`These can be forwarded to it: ${names}.`) as string,
    }) as Error,
  );
});

test("[N35] an agent that takes no provider says so", () => {
  expect(() => forward("gemini", "openai", {})).toThrow("No provider can be forwarded to it.");
});
