// Commands that the owner runs, each in a separate terminal.
import { makeId, terminalUri } from "@holdfast/ahp";
import { OWNER_CLIENT_ID } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHost, ME, useFakeHosts } from "../testing/fake-host.ts";
import { WatchingClient } from "../testing/terminal-viewer.ts";
import { commandLineOf } from "./person-command.ts";

guardLeaks();
const newHost = useFakeHosts();
const app = { kind: "app", appId: makeId("app", "a") } as const;
const ann = makeId("client", "ann");

async function exitOf({ host }: FakeHost, id: string) {
  return until(() => {
    const lifecycle = host.terminals.list(ME).find((each) => each.id === id)?.lifecycle;
    return lifecycle?.status === "exited" && lifecycle.exit;
  });
}

test("[A90] a command is the owner's alone, runs in their environment, is listed, read, kept, and on record", async () => {
  const fake = newHost();
  const { host, work } = fake;
  const command = { command: "sh", args: ["-c", 'echo "$GREETING in $PWD"; exit 3'], kind: "text" } as const;
  await expect(host.terminals.create(command, app)).rejects.toMatchObject({ code: "PERMISSION_REQUIRED" });
  const made = await host.terminals.create(
    { ...command, cwd: work, env: { GREETING: "hi" }, name: "Mine" },
    ME,
  );
  expect(made).toMatchObject({ title: "Mine", run: "text", session_key: null, cwd: work });
  expect(await exitOf(fake, made.id)).toEqual({ kind: "code", exitCode: 3 });
  expect((await host.terminals.read(made.id, undefined, ME)).text).toBe(`hi in ${work}\n`);
  expect(host.terminals.list(app)).toEqual([]);
  for (const [wrong, code] of [
    [{ command: "no-such-program" }, "COMMAND_NOT_FOUND"],
    [{ command: "/etc/passwd" }, "COMMAND_NOT_EXECUTABLE"],
    [{ command: "ls", cwd: "/no/such/folder" }, "INVALID_REQUEST"],
  ] as const) {
    await expect(host.terminals.create({ kind: "tty", ...wrong }, ME)).rejects.toMatchObject({ code });
  }
  expect(host.audit.recent).toMatchObject([
    {
      what: "command",
      subject: `sh -c '${command.args[1]}'`,
      by: "client owner",
      decision: "allowed",
      outcome: "started",
      environment: ["GREETING"],
    },
    { what: "command-exit", subject: `sh -c '${command.args[1]}'`, exitCode: 3, outcome: "exit code 3" },
    { subject: "no-such-program", outcome: expect.stringContaining("not found") as string },
    {},
    {},
  ]);
});

test("[U770] input of a pipe has an offset and no key", async () => {
  const { host } = newHost();
  const { id } = await host.terminals.create({ command: "cat", kind: "text", hasInput: true }, ME);
  const action = { type: "terminal/input", data: "x", key: { writer: "w", number: 1 } } as const;
  const actor = { kind: "client", clientId: makeId("client", OWNER_CLIENT_ID) } as const;
  expect(await host.submit(terminalUri(makeId("terminal", id)), action, { actor })).toMatchObject({
    outcome: "rejected",
    code: "INVALID_REQUEST",
  });
  await host.terminals.kill(id, ME);
});

test("[U35] input is taken once wherever it is sent again, refused where something is missing, and ends", async () => {
  const fake = newHost();
  const { host } = fake;
  const { id } = await host.terminals.create({ command: "cat", kind: "text", hasInput: true }, ME);
  const send = (text: string, offset?: number, isLast?: boolean): Promise<void> =>
    host.terminals.write(id, Buffer.from(text), ME, { offset, isLast });
  await send("one ", 0);
  await send("one two ", 0);
  await send("two ", 4);
  await expect(send("four", 9)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await send("three");
  await send("", 13, true);
  await send("three", 8, true);
  expect(await exitOf(fake, id)).toEqual({ kind: "code", exitCode: 0 });
  expect((await host.terminals.read(id, undefined, ME)).text).toBe("one two three");
  await expect(send("more", 13)).rejects.toMatchObject({ code: "TERMINAL_EXITED" });
  const { id: without } = await host.terminals.create({ command: "cat", kind: "text" }, ME);
  expect(await exitOf(fake, without)).toEqual({ kind: "code", exitCode: 0 });
});

test("[U34] [U35] a paced command waits for its follower, which gets every byte, and its input waits for it", async () => {
  const fake = newHost();
  const { host } = fake;
  const sizeBytes = 12_000_000;
  const command = `head -c ${sizeBytes} /dev/zero; cat`;
  const { id } = await host.terminals.create({ command, kind: "text", hasInput: true, isPaced: true }, ME);
  let isFull = false;
  const writing = host.terminals
    .write(id, new Uint8Array(1_000_000), ME, { isLast: true })
    .then(() => (isFull = true));
  let wake: () => void = () => undefined;
  const feed = await host.terminals.follow(id, 0, ME, () => wake(), true);
  let offset = 0;
  for (let isOver = false; !isOver;) {
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const reading = await feed.next();
    if (reading.kind === "output") {
      expect(reading.offset).toBe(offset);
      if (offset < sizeBytes / 2) expect(isFull).toBe(false);
      offset += reading.bytes.length;
    }
    expect(reading.kind).not.toBe("skipped");
    if (reading.kind === "nothing") await woken;
    isOver = reading.kind === "end";
  }
  feed.close();
  await writing;
  expect(offset).toBe(sizeBytes + 1_000_000);
});

test("[U36] anyone may claim it, and it stays when its holder is gone or left it to the owner", async () => {
  const { host, terminals } = newHost({ timeouts: { goneClientMs: 20 } });
  const { id, holder } = await host.terminals.create({ command: "read x", kind: "tty" }, ME);
  expect(holder).toEqual({ kind: "client", clientId: OWNER_CLIENT_ID, isGone: true });
  await host.terminals.write(id, Buffer.from("typed"), ME);
  const uri = terminalUri(makeId("terminal", id));
  const watching = await WatchingClient.open(terminals, uri, "ann");
  await watching.sees("typed");
  expect(watching.claim()).toMatchObject({ outcome: "accepted" });
  await expect(host.terminals.write(id, Buffer.from("x"), ME)).rejects.toMatchObject({
    code: "TERMINAL_NOT_HELD",
  });
  terminals.clientGone(ann);
  const holderOf = (of: string) => host.terminals.list(ME).find((each) => each.id === of)?.holder;
  await until(() => JSON.stringify(holderOf(id)) === JSON.stringify(holder));

  const shell = await terminals.create({ clientId: ann, shell: { command: "/bin/sh" } });
  terminals.clientBack(ann);
  const claim = { kind: "client", clientId: makeId("client", OWNER_CLIENT_ID) } as const;
  terminals.submit(shell, { type: "terminal/claimed", claim }, { clientId: ann, clientSeq: 1 });
  expect(host.hub.state(shell, "terminal")?.claim).toMatchObject({
    clientId: OWNER_CLIENT_ID,
    goneSince: expect.any(String) as string,
  });
  expect((await WatchingClient.open(terminals, shell, "ben")).claim()).toMatchObject({ outcome: "accepted" });
  await Promise.all([terminals.dispose(uri), terminals.dispose(shell)]);
});

test.each([
  [{ command: "sh", args: ["-c", "echo 'a b' $HOME"] }, String.raw`sh -c 'echo '\''a b'\'' $HOME'`],
  [{ command: "git", args: ["commit", "-m", "First commit"] }, "git commit -m 'First commit'"],
  [{ command: "printf", args: ["", "x"] }, "printf '' x"],
  [{ command: "ls", args: ["-la", "/tmp"] }, "ls -la /tmp"],
  [{ command: "make && make install" }, "make && make install"],
])("[Z897] %j is shown as %s", (request, line) => {
  expect(commandLineOf(request)).toBe(line);
});
