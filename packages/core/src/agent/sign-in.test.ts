// Sign-in: what is reported where it is missing, and how a key is used without a person.
import { RpcError } from "@holdfast/jsonrpc";
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { say } from "../testing/script.ts";
import { AgentEntries } from "./agent-entry.ts";
import { explainMissingSignIn, openSignedIn, signInRemedy } from "./sign-in.ts";

guardLeaks();
const newHost = useFakeHosts();
const loginNeeded = { do: "fail", code: -32_000, message: "Authentication required" } as const;
const terminalMethod = {
  id: "login",
  name: "Log in",
  _meta: { "terminal-auth": { command: "/opt/my agent", args: ["login", "--web"] } },
};
const command = "'/opt/my agent' login --web";
const entries = new AgentEntries({ agents: {} }, { command: "node", args: [], version: "0" });

test("[N302] a session that fails for want of a sign-in has the remedy as data and in its message", async () => {
  const host = newHost({ agents: { mine: { newSession: [loginNeeded], authMethods: [terminalMethod] } } });
  await expect(host.open()).rejects.toMatchObject({
    code: "ACP_SESSION_INIT_FAILED",
    message: `mine is not signed in (Authentication required). To sign in, run \`${command}\`.`,
    details: { detailCode: "sign_in_needed", remedy: { command } },
  });
  const listed = (await host.host.listAgents(false)).find(({ id }) => id === "mine");
  expect(listed).toMatchObject({ installed: true, authReady: false, remedy: { text: expect.any(String) } });
});

test("[N302] a turn that fails for want of a sign-in carries the remedy, and the next one that works makes the agent ready", async () => {
  const prompts = { first: [loginNeeded], second: [say("hello")] };
  const host = newHost({ agents: { mine: { prompts, authMethods: [terminalMethod] } } });
  const session = await host.open();
  await session.turn("first");
  expect(session.lastTurn.end).toMatchObject({
    state: "failed",
    error: { code: "ACP_TURN_FAILED", detailCode: "sign_in_needed", remedy: { command } },
  });
  const isReady = async (): Promise<boolean | undefined> =>
    (await host.host.listAgents(false)).find(({ id }) => id === "mine")?.authReady;
  expect(await isReady()).toBe(false);
  await session.turn("second");
  expect(await isReady()).toBe(true);
});

test("[N302] an agent whose turn completed is ready, though the host sees no sign-in on disk", async () => {
  const auth = { env: ["A_KEY_THAT_IS_NOT_SET"], files: [] };
  const host = newHost({
    agents: { mine: { prompts: { hi: [say("hello")] } } },
    agentConfig: { mine: { auth } },
  });
  const isReady = async (): Promise<boolean | undefined> =>
    (await host.host.listAgents(false)).find(({ id }) => id === "mine")?.authReady;
  expect(await isReady()).toBe(false);
  const session = await host.open();
  await session.turn("hi");
  expect(await isReady()).toBe(true);
});

test("[N302] a session that cannot be resumed for want of a sign-in is stale with the remedy, and so is its turn", async () => {
  const working = {
    capabilities: { loadSession: true },
    prompts: { die: [{ do: "exit", code: 1 } as const] },
  };
  const refusing = { ...working, reopen: [loginNeeded], authMethods: [terminalMethod] };
  const host = newHost({ agents: { mine: [working, refusing] } });
  const session = await host.open();
  await session.turn("die");
  await session.turn("again");
  expect(session.lastTurn.end).toMatchObject({ state: "failed", error: { remedy: { command } } });
  expect(host.host.listSessions(ME)).toMatchObject([{ last_error: expect.stringContaining(command) }]);
});

test("[N303] an agent that offers a sign-in by a key that it was started with is signed in, and asked again", async () => {
  const method = { id: "by-key", name: "Key", type: "env_var", vars: [{ name: "FAKE_KEY" }] };
  const script = { authMethods: [terminalMethod, method], signInBy: "by-key" };
  const withKey = newHost({
    agents: { mine: script },
    environment: { FAKE_KEY: "secret" },
  });
  const session = await withKey.open();
  const heard = session.agent.messages.map(({ method: name }) => name);
  expect(heard).toEqual(["initialize", "session/new", "authenticate", "session/new"]);
  const without = newHost({ agents: { mine: script } });
  await expect(without.open()).rejects.toMatchObject({ details: { remedy: { command } } });
  expect(without.heard().messages.map(({ method: name }) => name)).not.toContain("authenticate");
});

test("[N303] the key methods of the catalogue are used only where the agent offers them, and a rejected key is a missing sign-in", async () => {
  const refusal = new RpcError(-32_000, "Authentication required");
  const attempt = async (offered: readonly string[], key: string, isAccepted = true) => {
    const asked: string[] = [];
    let isSignedIn = false;
    const authMethods = offered.map((id) => ({ id, name: id }));
    const agent = {
      info: { protocolVersion: 1, authMethods },
      authenticate: async (id: string) => {
        asked.push(id);
        if (!isAccepted) throw new Error("No such key");
        isSignedIn = true;
      },
    };
    const opened = openSignedIn(agent, entries.find("codex"), { OPENAI_API_KEY: key }, async () => {
      if (!isSignedIn) throw refusal;
      return "open";
    });
    return { asked, outcome: await opened.catch((error: unknown) => error) };
  };
  expect(await attempt(["chat-gpt", "api-key"], "k")).toEqual({ asked: ["api-key"], outcome: "open" });
  expect(await attempt(["chat-gpt", "api-key"], "")).toEqual({ asked: [], outcome: refusal });
  expect(await attempt(["chat-gpt"], "k")).toEqual({ asked: [], outcome: refusal });
  expect(await attempt(["api-key"], "k", false)).toEqual({ asked: ["api-key"], outcome: refusal });
});

test("[N302] the remedy is the agent's own command, else the catalogue's, with the variables that do as well", () => {
  const claude = entries.find("claude");
  expect(signInRemedy(claude)).toEqual({
    text: "To sign in, run `claude /login`, or start the host with ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN or CLAUDE_CODE_OAUTH_TOKEN in its environment.",
    command: "claude /login",
  });
  const own = { id: "l", name: "L", type: "terminal", args: ["--cli", "auth"] };
  expect(signInRemedy(claude, [own]).command).toBe("claude-agent-acp --cli auth");
  expect(signInRemedy(entries.find("qwen")).text).toContain(
    "OPENAI_API_KEY with OPENAI_BASE_URL with OPENAI_MODEL",
  );
  expect(signInRemedy({ ...claude, auth: undefined })).toEqual({
    text: "To sign in, run Claude Code in a terminal and sign in there.",
  });
  const { message } = explainMissingSignIn(claude, new RpcError(-32_000, "No key."));
  expect(message).toMatch(/^Claude Code is not signed in \(No key\)\. To sign in, /);
});
