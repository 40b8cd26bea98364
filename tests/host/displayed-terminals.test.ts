// Commands that an agent runs itself, over the app API of a real host: listed, read and followed, also after a kill.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Holdfast, type TerminalEvent } from "@holdfast/sdk";
import { startRealHost, type RealHost } from "./real-host.ts";

const program = fileURLToPath(new URL("../../packages/core/src/testing/fake-agent.mjs", import.meta.url));
const terminal = { terminal_id: "t" };
const update = (sessionUpdate: string, fields: object) => ({
  do: "update",
  update: { sessionUpdate, toolCallId: "t", ...fields },
});

/** An agent as those are that run their commands themselves. */
const script = [
  {
    prompts: {
      "*": [
        update("tool_call", {
          title: "make",
          kind: "execute",
          content: [{ type: "terminal", terminalId: "t" }],
          _meta: { terminal_info: { ...terminal, cwd: "/work" } },
        }),
        update("tool_call_update", { _meta: { terminal_output: { ...terminal, data: "one\n" } } }),
        { do: "until", path: "tried" },
        update("tool_call_update", {
          status: "completed",
          _meta: {
            terminal_output: { ...terminal, data: "two\n" },
            terminal_exit: { ...terminal, exit_code: 2, signal: null },
          },
        }),
      ],
    },
  },
];

const folder = mkdtempSync(path.join(tmpdir(), "displayed-terminals-"));
let host: RealHost;

const connect = ({ url, token }: RealHost): Holdfast => new Holdfast({ baseUrl: url, apiKey: token });

beforeAll(async () => {
  const file = path.join(folder, "script.json");
  writeFileSync(file, JSON.stringify(script));
  const env = { FAKE_AGENT_SCRIPT: file, FAKE_AGENT_RECORD: path.join(folder, "record.ndjson") };
  const maker = { command: process.execPath, args: [program], env };
  host = await startRealHost({ config: { agents: { maker } } });
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

it("[N53] [N55] [N56] it is listed, followed to its exit and not ended by others, and can be read after a kill", async () => {
  const sdk = connect(host);
  const wish = { agent_id: "maker", cwd: host.project, approvalPolicy: "approve-all" as const };
  const { session_key: key } = await sdk.acpAgent.createSession(wish);
  const turn = sdk.acpAgent.chat(key, "go");
  let listed = await sdk.terminals.list();
  while (listed.length === 0) listed = await sdk.terminals.list();
  expect(listed).toMatchObject([
    { session_key: key, title: "make", run: "display", cwd: "/work", lifecycle: { status: "running" } },
  ]);
  const { id } = listed[0] ?? expect.fail();
  const refused = { code: "TERMINAL_NOT_INTERACTIVE", status: 409 };
  await expect(sdk.terminals.kill(id)).rejects.toMatchObject(refused);
  await expect(sdk.terminals.input(id, "x")).rejects.toMatchObject(refused);
  await expect(sdk.terminals.claim(id)).rejects.toMatchObject({ status: 409 });
  const events: TerminalEvent[] = [];
  for await (const event of sdk.terminals.stream(id)) {
    if (events.length === 0) writeFileSync(path.join(folder, "tried"), "");
    events.push(event);
  }
  await turn;
  const text = events.flatMap((event) =>
    event.type === "output" ? [Buffer.from(event.data.bytes).toString()] : [],
  );
  expect(text.join("")).toBe("one\ntwo\n");
  expect(events.slice(-2)).toMatchObject([
    { type: "exited", data: { exit: { kind: "code", exitCode: 2 }, endOffset: 8 } },
    { type: "close" },
  ]);
  host = await host.restart();
  const again = connect(host);
  expect(await again.terminals.list({ sessionKey: key })).toMatchObject([{ id, run: "display" }]);
  expect(await again.terminals.output(id)).toMatchObject({
    text: "one\ntwo\n",
    truncated: false,
    lifecycle: { status: "exited", exit: { kind: "code", exitCode: 2 } },
  });
});
