// Queries of programs to their terminal are answered once: by the holder's viewer when it is open, else by the host.
import { makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { WatchingClient } from "../testing/terminal-viewer.ts";

guardLeaks();
const newHost = useFakeHosts();

/** Asks where the cursor is after two columns, and shows the answer. */
const askCursor = String.raw`stty raw -echo min 1 time 20; printf ready; read w; printf '\rab\033[6n'; a=$(dd bs=16 count=1 2>/dev/null); stty sane; printf '\r\n<%s>' "$a" | tr '\033' E; read w`;

test("[U27] the host answers when the holder has not opened the terminal, for the screen as it is then", async () => {
  const terminals = newHost().terminals;
  const clientId = makeId("client", "ann");
  const shell = { command: "/bin/sh", args: ["-c", askCursor] };
  const uri = await terminals.create({ clientId, shell });
  const watching = await WatchingClient.open(terminals, uri, "ben");
  await watching.sees("ready");
  const input = { type: "terminal/input", data: "\n" } as const;
  expect(terminals.submit(uri, input, { clientId, clientSeq: 1 })).toEqual({ outcome: "accepted" });
  await watching.sees("<E[1;3R>");
});

test("[U27] it is left to the holder's viewer while that is open", async () => {
  const terminals = newHost().terminals;
  const clientId = makeId("client", "ann");
  const shell = { command: "/bin/sh", args: ["-c", askCursor] };
  const uri = await terminals.create({ clientId, shell });
  const holder = await WatchingClient.open(terminals, uri, "ann");
  await holder.sees("ready");
  holder.type("\n");
  await holder.sees("\x1b[6n");
  holder.type("\x1b[9;9R");
  await holder.sees("<E[");
  expect(holder.text).toContain("<E[9;9R>");
});
