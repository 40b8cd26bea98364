// MCP servers: chosen for a session by name, sent to its agent, also when it is restarted.
import { expect, test } from "vitest";
import { McpServers } from "../agent/mcp-servers.ts";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { FakeSession } from "../testing/fake-session.ts";
import { MortalStorage } from "../testing/mortal-storage.ts";
import { say, type Script } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const config = {
  mcpServers: {
    files: { command: "mcp-files", args: ["--root", "/w"], env: { LEVEL: "high" } },
    search: { url: "https://search.example/mcp", headers: { authorization: "Bearer s" } },
    old: { url: "https://old.example/sse", transport: "sse" },
  },
};
const agent: Script = {
  capabilities: { loadSession: true, mcpCapabilities: { http: true } },
  prompts: { "*": [say("on")] },
};
const files = {
  name: "files",
  command: "mcp-files",
  args: ["--root", "/w"],
  env: [{ name: "LEVEL", value: "high" }],
};
const search = {
  type: "http",
  name: "search",
  url: "https://search.example/mcp",
  headers: [{ name: "authorization", value: "Bearer s" }],
};

function serversSent(session: FakeSession, method: string): unknown {
  return session.agent.messages.findLast((message) => message.method === method)?.params["mcpServers"];
}

test("[N52] an agent receives the MCP servers that its session chose, and again when it is restarted", async () => {
  const storage = new MortalStorage();
  const first = newHost({ agents: { mine: agent }, config, storage: storage.kept });
  const before = await first.open({ mcpServers: ["files", "search", "old"] });
  expect(serversSent(before, "session/new")).toEqual([files, search]);
  expect(first.log).toContainEqual(expect.stringContaining("no MCP over sse"));
  await first.host.close();
  const second = newHost({
    agents: { mine: agent },
    config: { mcpServers: { search: config.mcpServers.search } },
    storage: storage.kept,
  });
  const after = new FakeSession(second.host, before.key, second.heard());
  await after.turn("continue");
  expect(serversSent(after, "session/load")).toEqual([search]);
  expect(second.log).toContainEqual(expect.stringContaining("files is no longer in the configuration"));
});

test("[N52] without a choice there are none, and an unknown name is rejected with those there are", async () => {
  const host = newHost({ agents: { mine: agent }, config });
  expect(serversSent(await host.open(), "session/new")).toEqual([]);
  await expect(host.open({ mcpServers: ["files", "nothing"] })).rejects.toMatchObject({
    code: "ACP_INVALID_OPTION",
    message: expect.stringContaining("There are: files, search, old.") as string,
  });
});

test("[N52] secrets of a server are kept out of logs and errors, and ordinary values are not", () => {
  const plain = { env: {}, headers: {}, transport: "http" } as const;
  const servers = new McpServers({
    files: {
      ...plain,
      args: [],
      command: "mcp-files",
      env: { LEVEL: "the high one", FILES_TOKEN: "file-secret-1" },
    },
    search: {
      ...plain,
      args: [],
      url: "https://x.example",
      headers: { authorization: "Bearer web-secret-2" },
    },
  });
  expect(servers.secrets).toEqual(["file-secret-1", "file-secret-1", "Bearer web-secret-2", "web-secret-2"]);
});
