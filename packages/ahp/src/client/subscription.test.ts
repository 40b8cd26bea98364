// Shows how a channel handles host messages in an unexpected order or shape.
import { expect, test } from "vitest";
import type { HoldfastEnvelope } from "../dialects/holdfast.ts";
import { TERMINAL, title } from "../testing/client-bench.ts";
import { newStates } from "../testing/states.ts";
import { Subscription, type ChannelEvent } from "./subscription.ts";

const snapshot = { resource: TERMINAL, state: newStates.terminal, fromSeq: 6 };
const envelope = (text: string, serverSeq: number): HoldfastEnvelope => ({
  channel: TERMINAL,
  action: title(text),
  serverSeq,
});

test("[E48] actions that overtake the state they follow are applied after it, and those within it are not", () => {
  const subscription = new Subscription(TERMINAL, "terminal");
  const events: ChannelEvent<"terminal">[] = [];
  subscription.listen((event) => events.push(event));
  subscription.take(envelope("within", 6), undefined);
  subscription.take(envelope("after", 7), undefined);
  expect(events).toEqual([]);
  subscription.takeSnapshot(snapshot);
  expect(events.map(({ type }) => type)).toEqual(["snapshot", "action"]);
  expect(subscription.mirror.state.title).toBe("after");
  expect(subscription.seq).toBe(7);
});

test("[E49] a host that never sends the state is not listened to forever", () => {
  const subscription = new Subscription(TERMINAL, "terminal");
  const listenOn = (): void => {
    for (let seq = 1; seq < 5000; seq += 1) subscription.take(envelope("x", seq), undefined);
  };
  expect(listenOn).toThrow("without its state");
});

test("[E48] a state or an action of another shape is an error that says where", () => {
  const subscription = new Subscription(TERMINAL, "terminal");
  expect(() => {
    subscription.takeSnapshot({ ...snapshot, state: { title: 1 } });
  }).toThrow("malformed: resource");
  subscription.takeSnapshot(snapshot);
  expect(() => {
    subscription.take(
      { ...envelope("x", 7), action: { ...title("x"), type: "terminal/none" } as never },
      undefined,
    );
  }).toThrow("malformed: type");
});

test("[E48] a viewer that comes later gets the current state", () => {
  const subscription = new Subscription(TERMINAL, "terminal");
  subscription.takeSnapshot(snapshot);
  subscription.take(envelope("now", 7), undefined);
  const events: ChannelEvent<"terminal">[] = [];
  subscription.listen((event) => events.push(event));
  expect(events).toMatchObject([{ type: "snapshot", state: { title: "now" } }]);
});
