// Terminals of the host: their output outlives the agent's handle, and a failure leaves nothing.
import { ROOT_URI, defaultChatUri, makeId, newRootState, sessionUri } from "@holdfast/ahp";
import { InlineKeeper } from "@holdfast/keeper";
import { HeldTerminals } from "@holdfast/terminal/acp-parts";
import { afterAll, expect, test } from "vitest";
import { Hub } from "../channel/hub.ts";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import type { HostTerminal } from "./host-terminal.ts";
import { HostTerminals } from "./host-terminals.ts";

guardLeaks();
const keeper = new InlineKeeper({ environment: { PATH: process.env["PATH"] } });
const hub = new Hub();
hub.open(ROOT_URI, "root", newRootState());
const terminals = new HostTerminals({ keeper, hub, now: () => new Date() });
const session = sessionUri(makeId("session", "s"));
const claim = { kind: "session", session, chat: defaultChatUri(session) } as const;
afterAll(async () => {
  await terminals.close();
  await keeper.close();
});

const wanted = (command: string, args: string[] = []) => ({
  command,
  args,
  cwd: "/",
  env: undefined,
  outputByteLimit: undefined,
});

test("[N27] what a command wrote is there after the agent has released it, until the session closes", async () => {
  const held = new HeldTerminals<HostTerminal>();
  const terminal = await terminals.create(wanted("echo kept"), claim);
  held.add(terminal);
  await terminal.exited;
  await held.release(terminal.id);
  expect(held.find(terminal.id)).toBeUndefined();
  expect(held.display(terminal.id)?.output.answer().output).toBe("kept\n");
  expect(hub.state(terminal.uri, "terminal")?.lifecycle).toMatchObject({ status: "exited" });
  await held.close();
  expect(hub.has(terminal.uri)).toBe(false);
  expect(terminals.get(terminal.id)).toBeUndefined();
});

test("[N24] however quickly a command exits, its channel says so", async () => {
  const made = await Promise.all(
    Array.from({ length: 40 }, () => terminals.create(wanted("/bin/true"), claim)),
  );
  await Promise.all(made.map(({ exited }) => exited));
  await new Promise(setImmediate);
  expect(made.filter(({ uri }) => hub.state(uri, "terminal")?.lifecycle.status !== "exited")).toEqual([]);
  await Promise.all(made.map((terminal) => terminal.close()));
});

test("[N22] a command that cannot be started leaves no channel", async () => {
  await expect(terminals.create(wanted("no-such-program", ["x"]), claim)).rejects.toMatchObject({
    code: "program_not_found",
  });
  expect(hub.list("terminal")).toEqual([]);
  // The list may rest for a moment after the last change.
  await until(() => (hub.list("root")[0]?.state.terminals.length === 0 ? true : undefined));
});
