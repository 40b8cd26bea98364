// Tokens for lent tools: made for one agent, restored by their digests, and secret.
import { createHash } from "node:crypto";
import { makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { Redactor } from "../redaction/redactor.ts";
import { ClientToolLeases, type ToolLender } from "./client-tools.ts";

const session = makeId("session URI", "mine:/one");
const tools: ToolLender = {
  list: () => [{ name: "openFile", inputSchema: { type: "object" } }],
  watch: () => () => {},
  call: () => Promise.reject(new Error("Not called here")),
};
const plain = { protocolVersion: 1 };
const bridge = { command: "/usr/bin/node", args: ["main.js", "client-tools"] };

test("[N823] a restored token is secret from its first use until its agent has ended", async () => {
  const redactor = new Redactor();
  const leases = new ClientToolLeases({ keepSecret: (secret) => redactor.add(secret) });
  const token = "a-token-that-an-earlier-host-has-made";
  let exit = (): void => {};
  const exited = new Promise<void>((resolve) => {
    exit = resolve;
  });
  leases.restore({ session, tools, exited }, createHash("sha256").update(token).digest("hex"));
  expect(leases.find(createHash("sha256").update(token).digest("hex"))).toBeUndefined();
  expect(redactor.isEmpty).toBe(true);
  const access = leases.find(token);
  expect(access?.tools).toBe(tools);
  expect(redactor.redact(`It is ${token}.`)).toBe("It is [redacted].");
  exit();
  await exited;
  expect([leases.find(token), access?.ended.aborted, redactor.isEmpty]).toEqual([undefined, true, true]);
});

test("[E825] an agent without MCP over HTTP gets the bridge, with its token in the environment alone", () => {
  const leases = new ClientToolLeases({ bridge });
  const user = { session, tools, exited: new Promise(() => {}) };
  expect(leases.offer({ ...user, info: plain }).problem).toContain("loopback");
  leases.serveAt("http://127.0.0.1:4747");
  const { server, secret = "" } = leases.offer({ ...user, info: plain });
  expect(server).toEqual({
    name: "editor",
    ...bridge,
    env: [
      { name: "HOLDFAST_CLIENT_TOOLS_URL", value: "http://127.0.0.1:4747/mcp/client-tools" },
      { name: "HOLDFAST_CLIENT_TOOLS_TOKEN", value: secret },
    ],
  });
  expect(leases.find(secret)?.tools).toBe(tools);
  const http = { ...plain, agentCapabilities: { mcpCapabilities: { http: true } } };
  expect(leases.offer({ ...user, info: http }).server).toMatchObject({ type: "http" });
  // One token at a time.
  expect(leases.find(secret)).toBeUndefined();
});
