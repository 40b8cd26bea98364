// NDJSON over the pipes of a real child process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { Connection } from "./connection.ts";
import { ndjsonFraming } from "./ndjson.ts";
import { receiveFrom, streamSink } from "./stream.ts";
import type { ConnectionOptions } from "./connection.ts";
import type { Warning } from "./warning.ts";
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** Bundled by the tests' set-up: from source, its start would cost more than all that it does. */
const peerPath = fileURLToPath(
  new URL("../../../dist/test-programs/jsonrpc/dist/testing/noisy-peer.js", import.meta.url),
);
/** Messages that a slow handler gets. */
const floodCount = process.env["HOLDFAST_LONG"] === undefined ? 20_000 : 50_000;
const children: ChildProcessByStdio<Writable, Readable, null>[] = [];

/** Closes its input, says so, and speaks once more when it is signalled. */
const deafProgram = `
  const update = (params) => JSON.stringify({ jsonrpc: "2.0", method: "update", params }) + "\\n";
  require("node:fs").closeSync(0);
  process.once("SIGUSR2", () => process.stdout.write(update("last"), () => process.exit(0)));
  setInterval(() => undefined, 1000);
  process.stdout.write(update("deaf"));
`;

function startPeer(options: Partial<ConnectionOptions> = {}, args = [peerPath]) {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const warnings: Warning[] = [];
  const sinkErrors: Error[] = [];
  const connection = new Connection({
    framing: ndjsonFraming(),
    sink: streamSink(child.stdin, (error) => sinkErrors.push(error)),
    source: child.stdout,
    cancelMethod: "$/cancel_request",
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  receiveFrom(child.stdout, connection);
  return { child, connection, warnings, sinkErrors };
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

describe("a child process", () => {
  it("[J4] is understood through its noise, with any text and ids, and may ask back", async () => {
    const { connection, warnings } = startPeer({
      requests: { question: (params) => ({ answer: params }) },
    });
    const text = { text: "line\nbreak \u2028 \u{1F600} \uD800" };
    expect(await connection.request("echo", text)).toEqual(text);
    expect(warnings).toEqual([
      { kind: "noise", text: "noise before the answer" },
      { kind: "noise", text: "and a blank line" },
    ]);
    expect(await connection.request("askBack", [1, 2])).toEqual({ answer: [1, 2] });
    expect(await connection.request("badText", {})).toBe("\uFFFD(\uFFFD");
  });

  it("[J3] sends 32 MiB of ready bytes as one line", async () => {
    const { connection } = startPeer();
    const sizeBytes = 32 * 1024 * 1024;
    const text = (await connection.request("huge", { sizeBytes })) as string;
    expect(text).toHaveLength(sizeBytes);
    expect(/^a+$/.test(text)).toBe(true);
  });

  it("[J16] is held back by a slow handler, loses nothing, and its answer comes last", async () => {
    const count = floodCount;
    const seen: number[] = [];
    let pauses = 0;
    let longestQueue = 0;
    let arrived = 0;
    const { child, connection } = startPeer({
      notifications: {
        update: async (params) => {
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
          seen.push((params as { index: number }).index);
        },
      },
      orderKey: () => {
        arrived += 1;
        longestQueue = Math.max(longestQueue, arrived - seen.length);
        return "one";
      },
      limits: { queuedMessages: 100 },
    });
    child.stdout.on("pause", () => {
      pauses += 1;
    });
    const answer = await connection.request("flood", { count }, { orderKey: "one" });
    expect(answer).toEqual({ count });
    expect(seen).toEqual(Array.from({ length: count }, (_, index) => index));
    expect(pauses).toBeGreaterThan(5);
    // One read of 64 KiB comes on top of the limit.
    expect(longestQueue).toBeLessThan(100 + 65_536 / 50);
  });

  it("[J13] gives up when its request is cancelled", async () => {
    const { connection } = startPeer();
    const controller = new AbortController();
    const { signal } = controller;
    const pending = connection.request("waitForCancel", {}, { signal, whenAborted: "keep-waiting" });
    controller.abort();
    await expect(pending).rejects.toMatchObject({ code: -32800, data: { requestId: 1 } });
  });

  it("[J21] that exits ends the connection after its last message", async () => {
    const seen: unknown[] = [];
    const { connection } = startPeer({ notifications: { update: (params) => void seen.push(params) } });
    await expect(connection.request("leave", {})).rejects.toMatchObject({ kind: "ended" });
    expect(seen).toEqual([{ index: -1 }]);
  });

  it("[J20] sees the end of its input when this side closes", async () => {
    const { child, connection } = startPeer();
    await connection.request("echo", {});
    connection.close();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("[J21] that stops listening costs an error of the sink, not the output it still has", async () => {
    const seen: unknown[] = [];
    const { child, connection, sinkErrors } = startPeer(
      { notifications: { update: (params) => void seen.push(params) } },
      ["--eval", deafProgram],
    );
    await expect.poll(() => seen).toEqual(["deaf"]);
    await expect
      .poll(() => {
        connection.notify("anything", {});
        return sinkErrors;
      })
      .toMatchObject([{ code: "EPIPE" }]);
    expect(connection.isOpen).toBe(true);
    child.kill("SIGUSR2");
    expect(await connection.closed).toMatchObject({ kind: "ended" });
    expect(seen).toEqual(["deaf", "last"]);
  });
});
