// A connection that continues another: nothing of the peer is handled twice, and nothing is passed over.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDeferred } from "./deferred.ts";
import { notification, openConnection, request, result } from "./testing/open-connection.ts";

describe("a continued connection", () => {
  it("[J720] reports the offset of each request and up to where everything is handled, without the beginning of a line", () => {
    const offsets: number[] = [];
    const { connection } = openConnection({
      requests: { ask: (_params, { offset }) => void offsets.push(offset) },
    });
    const lines = [
      "noise é\n",
      `${JSON.stringify(request(1, "ask"))}\n`,
      "\n",
      ` ${JSON.stringify(request(2, "ask"))}\n`,
    ];
    const bytes = new TextEncoder().encode(`${lines.join("")}{"jsonrpc":`);
    const sizes = lines.map((line) => new TextEncoder().encode(line).length);
    for (const byte of bytes) connection.push(Uint8Array.of(byte));
    const [noise = 0, first = 0, empty = 0, second = 0] = sizes;
    expect(offsets).toEqual([noise, noise + first + empty]);
    expect(connection.handledOffset).toBe(noise + first + empty + second);
    expect(connection.isSettled).toBe(true);
  });

  it("[J721] continues at any byte: open requests are handled again at their offset, responses to earlier requests arrive", async () => {
    const messages = [
      ...[1, 2, 3, 4].map((id) => request(id, id % 2 === 0 ? "wait" : "now", { id })),
      notification("note", { é: "ü" }),
      result(7, "done"),
    ];
    const bytes = new TextEncoder().encode(messages.map((each) => `${JSON.stringify(each)}\n`).join(""));
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), fc.nat(9), async (cut, extra) => {
        const seen: string[] = [];
        const open = new Map<number, string>();
        const journal = {
          opened: (offset: number, text: string) => void open.set(offset, text),
          answered: (offset: number) => void open.delete(offset),
        };
        const gate = createDeferred<number>();
        const handlers = (isSecond: boolean): Parameters<typeof openConnection>[0] => ({
          requests: {
            now: (params) => void seen.push(`now ${(params as { id: number }).id}`),
            wait: (params, { offset }) => {
              seen.push(`wait ${(params as { id: number }).id} ${isSecond ? "" : "first "}${offset}`);
              return isSecond ? 1 : gate.promise;
            },
          },
          notifications: { note: () => void seen.push("note") },
          journal,
        });
        const first = openConnection({ ...handlers(false), continues: { handledOffset: 0, lastId: 7 } });
        const firstAnswer = first.connection.awaitAgain(7, "prompt");
        first.connection.push(bytes.subarray(0, cut));
        const isAnswered = first.connection.handledOffset === bytes.length;
        const { handledOffset, lastId } = first.connection;
        const second = openConnection({ ...handlers(true), continues: { handledOffset, lastId } });
        const answer = isAnswered ? firstAnswer : second.connection.awaitAgain(7, "prompt");
        const lost = new Set(seen.filter((each) => each.includes("first")));
        for (const [offset, text] of open) second.connection.reopen(text, offset);
        const again = bytes.subarray(handledOffset);
        second.connection.push(again.subarray(0, extra));
        second.connection.push(again.subarray(extra));
        expect(await answer).toBe("done");
        const offsetOf = (place: number): number =>
          messages
            .slice(0, place)
            .reduce((sum, each) => sum + new TextEncoder().encode(JSON.stringify(each)).length + 1, 0);
        const whole = ["now 1", `wait 2 ${offsetOf(1)}`, "now 3", `wait 4 ${offsetOf(3)}`, "note"];
        const handled = seen.filter((each) => !lost.has(each));
        expect(handled.toSorted()).toEqual(whole.toSorted());
        expect(open.size).toBe(0);
        const responses = [...first.sink.messages, ...second.sink.messages] as { id: number }[];
        expect(responses.map(({ id }) => `${id}`).toSorted()).toEqual(["1", "2", "3", "4"]);
        expect(second.connection.lastId).toBe(7);
      }),
    );
  });
});
