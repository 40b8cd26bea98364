// Order: one key, one line; and reading stops when the line grows too long.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDeferred } from "./deferred.ts";
import { notification, openConnection, request, result } from "./testing/open-connection.ts";

interface Step {
  key: string | undefined;
  index: number;
}

const keyOfParams = (_method: string, params: unknown): string | undefined =>
  (params as { key?: string } | undefined)?.key;

describe("order of handling", () => {
  it("[J10] handles what shares a key one after another in order of arrival, whatever the handlers do", async () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b", undefined),
      isRequest: fc.boolean(),
      ticks: fc.nat(4),
      fails: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const started: Step[] = [];
        const running = new Set<string>();
        const overlaps: Step[] = [];
        let finished = 0;
        const handle = (params: unknown): Promise<void> | undefined => {
          const { key, index } = params as Step;
          started.push({ key, index });
          const { ticks = 0, fails = false } = steps[index] ?? {};
          const finish = (): void => {
            finished += 1;
            if (key !== undefined) running.delete(key);
            if (fails) throw new Error("planned");
          };
          if (key !== undefined) {
            if (running.has(key)) overlaps.push({ key, index });
            running.add(key);
          }
          if (ticks === 0) {
            finish();
            return undefined;
          }
          return (async () => {
            for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
            finish();
          })();
        };
        const { receive, sink } = openConnection({
          requests: { call: handle },
          notifications: { note: handle },
          orderKey: keyOfParams,
        });
        receive(
          ...steps.map(({ key, isRequest }, index) =>
            isRequest ? request(index, "call", { key, index }) : notification("note", { key, index }),
          ),
        );
        await expect.poll(() => finished, { interval: 1 }).toBe(steps.length);
        expect(overlaps).toEqual([]);
        for (const key of ["a", "b"]) {
          const order = started.filter((one) => one.key === key).map((one) => one.index);
          expect(order).toEqual(order.toSorted((left, right) => left - right));
        }
        await expect
          .poll(() => sink.writes.length, { interval: 1 })
          .toBe(steps.filter((one) => one.isRequest).length);
      }),
      { numRuns: 60 },
    );
  });

  it("[J10] lets other keys and messages without a key pass a key that is busy", async () => {
    const gate = createDeferred<void>();
    const seen: string[] = [];
    const { receive } = openConnection({
      notifications: {
        slow: () => gate.promise,
        quick: (params) => void seen.push((params as { key?: string }).key ?? "none"),
      },
      orderKey: keyOfParams,
    });
    receive(
      notification("slow", { key: "a" }),
      notification("quick", { key: "a" }),
      notification("quick", { key: "b" }),
      notification("quick", {}),
    );
    expect(seen).toEqual(["b", "none"]);
    gate.resolve();
    await expect.poll(() => seen).toEqual(["b", "none", "a"]);
  });

  it("[J11] delivers an answer after the notifications before it and before those after it", async () => {
    const gate = createDeferred<void>();
    const seen: unknown[] = [];
    const { connection, receive } = openConnection({
      notifications: {
        update: (params) => {
          const { text } = params as { text: string };
          seen.push(text);
          return text === "first" ? gate.promise : undefined;
        },
      },
      orderKey: keyOfParams,
    });
    const turn = (async () => {
      seen.push(await connection.request("prompt", {}, { orderKey: "s" }));
    })();
    const other = connection.request("other", {});
    const update = (text: string): object => notification("update", { key: "s", text });
    receive(update("first"), update("second"), result(1, "turn end"), result(2, "other"), update("late"));
    expect(await other).toBe("other");
    expect(seen).toEqual(["first"]);
    gate.resolve();
    await turn;
    await expect.poll(() => seen).toEqual(["first", "second", "turn end", "late"]);
  });

  it("[J11] keeps that order when nothing waits, too", async () => {
    const seen: unknown[] = [];
    const { connection, receive } = openConnection({
      notifications: { update: (params) => void seen.push((params as { text: string }).text) },
      orderKey: keyOfParams,
    });
    const turn = connection.request("prompt", {}, { orderKey: "s" }).then((value) => seen.push(value));
    receive(
      notification("update", { key: "s", text: "before" }),
      result(1, "turn end"),
      notification("update", { key: "s", text: "after" }),
    );
    expect(seen).toEqual(["before"]);
    await turn;
    await expect.poll(() => seen).toEqual(["before", "turn end", "after"]);
  });

  it("[J12] has run synchronous handlers when push returns", () => {
    let count = 0;
    const { receive, sink } = openConnection({
      requests: { ping: () => "pong" },
      notifications: { note: () => void (count += 1) },
      orderKey: () => "one",
    });
    receive(notification("note"), request(1, "ping"), notification("note"));
    expect(count).toBe(2);
    expect(sink.messages).toEqual([result(1, "pong")]);
  });

  it("[J12] refuses a push from inside a handler, which could not keep the order", () => {
    const { connection, receive, warnings } = openConnection({
      notifications: {
        note: () => {
          connection.push("{}\n");
        },
      },
    });
    receive(notification("note"));
    expect(warnings).toMatchObject([{ kind: "handler-failed", method: "note" }]);
  });
});

describe("bounded queues", () => {
  it("[J16] pauses the source above the messages of one key, resumes at half, and drops nothing", async () => {
    const gates = Array.from({ length: 12 }, () => createDeferred<void>());
    const seen: number[] = [];
    const { receive, source } = openConnection({
      notifications: {
        note: (params) => {
          const { index } = params as Step;
          seen.push(index);
          return gates[index]?.promise;
        },
      },
      orderKey: keyOfParams,
      limits: { queuedMessages: 4 },
    });
    receive(...gates.slice(0, 5).map((_, index) => notification("note", { key: "a", index })));
    expect(source.calls).toEqual([]);
    receive(...gates.slice(5).map((_, index) => notification("note", { key: "a", index: index + 5 })));
    expect(source.calls).toEqual(["pause"]);
    for (const [index, gate] of gates.entries()) {
      await expect.poll(() => seen, { interval: 1 }).toHaveLength(index + 1);
      expect(source.calls).toEqual(gates.length - seen.length > 2 ? ["pause"] : ["pause", "resume"]);
      gate.resolve();
    }
    expect(seen).toEqual(gates.map((_, index) => index));
  });

  it("[J16] counts bytes as well, and stays paused while any key is over", async () => {
    const gates = { a: createDeferred<void>(), b: createDeferred<void>() };
    const { receive, source } = openConnection({
      notifications: { note: (params) => gates[(params as { key: "a" | "b" }).key].promise },
      orderKey: keyOfParams,
      limits: { queuedBytes: 1000 },
    });
    const big = (key: string): object => notification("note", { key, pad: "x".repeat(2000) });
    receive(big("a"), big("b"));
    expect(source.calls).toEqual([]);
    receive(big("a"), big("b"));
    expect(source.calls).toEqual(["pause"]);
    gates.a.resolve();
    await gates.a.promise.then(() => undefined);
    expect(source.calls).toEqual(["pause"]);
    gates.b.resolve();
    await expect.poll(() => source.calls).toEqual(["pause", "resume"]);
  });

  it("[J16] bounds notifications without a key by those that have not finished", async () => {
    const gate = createDeferred<void>();
    const { receive, source } = openConnection({
      notifications: { note: () => gate.promise },
      limits: { queuedMessages: 3 },
    });
    receive(...Array.from({ length: 3 }, () => notification("note")));
    expect(source.calls).toEqual([]);
    receive(notification("note"));
    expect(source.calls).toEqual(["pause"]);
    gate.resolve();
    await expect.poll(() => source.calls).toEqual(["pause", "resume"]);
  });
});
