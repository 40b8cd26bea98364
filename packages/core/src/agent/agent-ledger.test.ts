// The ledger of an agent's run: committed before it is written, and repeated byte for byte.
import { HeldRuns } from "@holdfast/terminal/keeper";
import { Spawner } from "@holdfast/terminal/process";
import { expect, onTestFinished, test } from "vitest";
import { Hub } from "../channel/hub.ts";
import type { StoredRun } from "../ports.ts";
import { until } from "../testing/agent-record.ts";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { AgentLedger } from "./agent-ledger.ts";
import { idFor } from "./request-name.ts";

const session = "ahp-session:/s";
const request = {
  kind: "stdio",
  command: "cat",
  args: [],
  cwd: "/",
  env: { PATH: "/usr/bin:/bin" },
} as const;

test("[N720] frames are written when they are committed; the next host writes what was not taken, byte for byte", async () => {
  const runs = new HeldRuns(new Spawner());
  onTestFinished(() => runs.close(0));
  const storage = new MemoryStorage();
  const hub = new Hub({ journal: storage.journal });
  const ledger = new AgentLedger("run", { hub, session, describe: () => ({ a: 1 }) });
  const first = runs.takeOver();
  const ignore = { bytes: () => {}, exit: () => {}, end: () => {} };
  const run = await first.start(request, ignore);
  ledger.attach(run);
  ledger.send(["one\n"]);
  ledger.send([new Uint8Array(Buffer.from("grüße")), "\n"]);
  expect(run.inputOffset).toBe(0);
  await hub.settled();
  expect(run.inputOffset).toBe(12);
  const [kept] = storage.runs();
  expect(kept).toMatchObject({ sentOffset: 12, state: '{"a":1}', frames: [{ offset: 0 }, { offset: 4 }] });
  // Killed after a commit and before the bytes were written.
  const frames = [...(kept?.frames ?? []), { offset: 12, text: "three\n" }, { offset: 18, text: "four\n" }];
  run.write(Buffer.from("thr"));
  const stored: StoredRun = { ...(kept ?? expect.fail("no run")), frames, sentOffset: 23 };
  const second = runs.takeOver();
  let echoed = "";
  const sink = {
    ...ignore,
    bytes: (_: string, bytes: Uint8Array) => void (echoed += Buffer.from(bytes).toString()),
  };
  const again = await second.attach(run.id, sink, { output: 0 });
  const next = new AgentLedger("run", { hub, session, describe: () => ({ a: 1 }) }, stored);
  next.send(["five\n"]);
  next.attach(again, stored);
  await hub.settled();
  await until(() => echoed === "one\ngrüße\nthree\nfour\nfive\n");
  next.end();
  await hub.settled();
  expect(storage.runs()).toEqual([]);
});

test("[N720] while nothing can be recorded, frames are written at once", async () => {
  const runs = new HeldRuns(new Spawner());
  onTestFinished(() => runs.close(0));
  const fail = (): never => {
    throw new Error("full");
  };
  const hub = new Hub({ journal: { commit: fail }, onFault: () => {} });
  const ledger = new AgentLedger("run", { hub, session, describe: () => ({}) });
  const run = await runs.takeOver().start(request, { bytes: () => {}, exit: () => {}, end: () => {} });
  ledger.attach(run);
  ledger.send(["stop\n"]);
  await expect(hub.settled()).rejects.toThrow("full");
  expect(run.inputOffset).toBe(5);
  ledger.send(["now\n"]);
  expect(run.inputOffset).toBe(9);
});

test("[N721] ids that follow from a request's name are the same each time, and differ by purpose and request", () => {
  const ids = ["run:0", "run:1"].flatMap((name) => [
    idFor(name, "approval"),
    idFor(name, "question"),
    idFor(name, "form"),
    idFor(name, "terminal"),
  ]);
  expect(new Set(ids).size).toBe(8);
  expect(idFor("run:0", "approval")).toBe(ids[0]);
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
  for (const id of ids) expect(id).toMatch(form);
});

test("[N823] a secret is written to the agent, and stored neither in frames nor in the command lines of its processes", async () => {
  const runs = new HeldRuns(new Spawner());
  onTestFinished(() => runs.close(0));
  const storage = new MemoryStorage();
  const hub = new Hub({ journal: storage.journal });
  const secret = "s3cret-Token_of-43-letters";
  const describe = (): object => ({ own: { commands: [`agent --mcp {"token":"${secret}"}`] } });
  const ledger = new AgentLedger("run", { hub, session, describe });
  let echoed = "";
  const bytes = (_: string, piece: Uint8Array): void => void (echoed += Buffer.from(piece).toString());
  ledger.attach(await runs.takeOver().start(request, { bytes, exit: () => {}, end: () => {} }));
  ledger.conceal(secret);
  ledger.send([`grüße ${secret} and ${secret}\n`]);
  await hub.settled();
  await until(() => echoed === `grüße ${secret} and ${secret}\n`);
  const stored = JSON.stringify(storage.runs());
  expect(stored).not.toContain(secret);
  // As long as the secret: offsets are of bytes.
  expect(stored).toContain(`grüße ${"*".repeat(secret.length)} and ${"*".repeat(secret.length)}`);
  ledger.end();
  await hub.settled();
});
