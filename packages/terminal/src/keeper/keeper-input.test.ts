// Input to runs of a keeper: gaps, repeats, and programs that do not read.
import { describe, expect, it } from "vitest";
import { exchange, hello } from "../testing/keeper-frames.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { RunRecord, recordRun } from "../testing/run-record.ts";
import { connectTo, makeHome } from "../testing/test-keeper.ts";
import { keeperStatus } from "./connect.ts";
import { FRAME, encodeHeader, encodeJson } from "./frame.ts";

guardLeaks();

describe.skipIf(process.platform === "win32")("input to runs of a keeper", () => {
  it("[K707] closes a connection whose input leaves a gap, and ignores input that it has", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const { run } = await recordRun(port, { kind: "stdio", command: "cat" });
    run.write(Buffer.from("12345"));
    await run.members();
    await port.detach();
    const attach = encodeJson(FRAME.request, 1, { do: "attach", reply: 2, id: run.id, from: {} });
    const input = (offset: number, text: string): Buffer[] => [
      encodeHeader(FRAME.input, text.length, 1, "output", offset),
      Buffer.from(text),
    ];
    const repeated = [...input(0, "12345"), ...input(3, "4567"), ...input(9, "gap")];
    const frames = await exchange(home, [...hello(home), ...attach], repeated);
    expect(frames.at(-1)).toMatchObject({ value: { failure: { code: "invalid_request", field: "offset" } } });
    const next = await connectTo(home);
    const record = new RunRecord();
    const attached = await next.attach(run.id, record, {});
    await record.seen(/^1234567$/);
    expect(attached.inputOffset).toBe(7);
    await next.close(200);
  });

  it("[K741] input that a program does not read costs no other run anything, also under the next host", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const command = "stty raw -echo; echo ready; exec sleep 600";
    const deaf = await recordRun(port, { kind: "tty", command });
    const other = await recordRun(port, { command: "exec sleep 600" });
    await deaf.record.seen(/ready/);
    const paste = Buffer.alloc(900_000, "x");
    deaf.run.write(paste);
    await deaf.run.inputTaken();
    await port.detach();
    const next = await connectTo(home);
    const attached = await next.attach(deaf.run.id, new RunRecord(), {});
    const attachedOther = await next.attach(other.run.id, new RunRecord(), {});
    expect(() => attached.write(paste)).toThrow(expect.objectContaining({ code: "input_full" }));
    attached.write(Buffer.from("a key"));
    await attached.inputTaken();
    expect((await attachedOther.members()).map(({ pid }) => pid)).toEqual([other.run.pid]);
    await next.close(200);
  });

  it("[K741] a connection whose input a run cannot take stays open, and what follows leaves no gap", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const command = "stty raw -echo; echo ready; exec sleep 600";
    const { run, record } = await recordRun(port, { kind: "tty", command });
    await record.seen(/ready/);
    await port.detach();
    const attach = encodeJson(FRAME.request, 1, { do: "attach", reply: 2, id: run.id, from: {} });
    const input = (offset: number): Buffer[] => [
      encodeHeader(FRAME.input, 900_000, 1, "output", offset),
      Buffer.alloc(900_000, "x"),
    ];
    const later = [...input(0), ...input(900_000), ...input(1_800_000)];
    const unknown = encodeJson(FRAME.request, 9, { do: "members", reply: 3 });
    const frames = await exchange(home, [...hello(home), ...attach], [...later, ...unknown]);
    expect(frames.at(-1)).toMatchObject({ value: { failure: { message: "unknown run 9" } } });
    expect((await keeperStatus(home))?.runs).toMatchObject([{ inputOffset: 2_700_000, hasExited: false }]);
  });
});
