// Shows annotations over AHP: written by one client, seen by another, bounded, and sent to the agent with a message.
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { defaultChatUri, makeId } from "@holdfast/ahp";
import type { HeardSnapshot } from "./heard.ts";
import { type ServedHost, useServedHosts } from "./served-host.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();
const session = "mine:/one";
const channel = `${session}/annotations`;
const chat = defaultChatUri(makeId("session URI", session));

interface Work {
  readonly host: ServedHost;
  readonly ada: WireClient;
  readonly bea: WireClient;
}

async function work(): Promise<Work> {
  const host = await serveHost({ script: { prompts: { "*": [{ do: "say", text: "Done" }] } } });
  const ada = await host.client({ clientId: "ada", subscriptions: ["ahp-root://"] });
  const bea = await host.client({ clientId: "bea", version: "0.6.0" });
  const workingDirectories = [pathToFileURL(host.work).href];
  await ada.request("createSession", { channel: session, provider: "mine", workingDirectories });
  return { host, ada, bea };
}

const note = (id: string, more: object = {}): object => ({
  id,
  turnId: "t",
  resource: "file:///src/a.ts",
  range: { start: { line: 2, character: 0 }, end: { line: 4, character: 3 } },
  resolved: false,
  entries: [{ id: "e1", text: "Why twice?" }],
  ...more,
});
const set = (annotation: object): object => ({ type: "annotations/set", annotation });

test("[E786] what one client writes the other sees, and both end with the stored state", async () => {
  const { host, ada, bea } = await work();
  expect((await ada.subscribe(channel)).state).toEqual({ annotations: [] });
  await bea.subscribe(channel);
  const clientSeq = ada.dispatch(set(note("a", { _meta: { colour: "red" } })), channel);
  const echo = await ada.action("annotations/set");
  expect(echo).toMatchObject({ channel, origin: { clientId: "ada", clientSeq } });
  expect(await bea.action("annotations/set")).toMatchObject({
    action: { annotation: { _meta: { colour: "red" } } },
  });
  await ada.notified(({ method, params }) => {
    return method === "root/sessionSummaryChanged" && JSON.stringify(params).includes('"annotationCount":1');
  });
  bea.dispatch(
    { type: "annotations/entrySet", annotationId: "a", entry: { id: "e2", text: { markdown: "*No*" } } },
    channel,
  );
  await ada.action("annotations/set", ({ origin }) => origin?.clientId === "bea");
  bea.dispatch({ type: "annotations/updated", annotationId: "a", resolved: true }, channel);
  bea.dispatch({ type: "annotations/updated", annotationId: "none", resolved: true }, channel);
  const last = bea.dispatch(set(note("b")), channel);
  await bea.action("annotations/set", ({ origin }) => origin?.clientSeq === last);
  ada.dispatch({ type: "annotations/removed", annotationId: "b" }, channel);
  await bea.action("annotations/removed");
  const expected = {
    annotations: [
      note("a", {
        resolved: true,
        _meta: { colour: "red" },
        entries: [
          { id: "e1", text: "Why twice?" },
          { id: "e2", text: { markdown: "*No*" } },
        ],
      }),
    ],
  };
  const late = await host.client({ clientId: "late", version: "0.9.0", subscriptions: [channel] });
  expect((await late.subscribe(channel)).state).toEqual(expected);
  const numbers = ada.actions.map(({ serverSeq }) => serverSeq);
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  const seed = await host.client({ clientId: "seed", version: 1 });
  expect((await seed.ask("subscribe", { resource: channel })).error?.code).toBe(-32001);
});

test("[E786] a client that follows annotations receives their state when it reconnects", async () => {
  const { host, ada } = await work();
  const { fromSeq } = await ada.subscribe(channel);
  ada.close();
  await ada.closed;
  const back = await host.socket();
  const params = { clientId: "ada", lastSeenServerSeq: fromSeq, subscriptions: [channel] };
  const { type, snapshots = [] } = await back.request("reconnect", params);
  expect(type).toBe("snapshot");
  expect(snapshots.map(({ resource }: HeardSnapshot) => resource)).toEqual([channel]);
  back.dispatch(set(note("a")), channel);
  expect(await back.action("annotations/set")).toMatchObject({ channel });
});

test("[E787] an annotation without entries, and one that is too large, are rejected", async () => {
  const { ada } = await work();
  const rejection = async (annotation: object): Promise<string | undefined> => {
    const clientSeq = ada.dispatch(set(annotation), channel);
    const echo = await ada.action("annotations/set", ({ origin }) => origin?.clientSeq === clientSeq);
    return echo.rejectionReason;
  };
  expect(await rejection(note("a", { entries: [] }))).toContain("at least one entry");
  const entries = Array.from({ length: 101 }, (_, index) => ({ id: `${index}`, text: "x" }));
  expect(await rejection(note("a", { entries }))).toContain("at most 100");
  expect(await rejection(note("a", { entries: [{ id: "e", text: "x".repeat(70_000) }] }))).toContain("65536");
  expect(await rejection({ id: "a" })).toContain("turnId");
  expect(await rejection(note("a"))).toBeUndefined();
});

test("[E788] a message with annotations brings the agent all open ones as one text, or those that it names", async () => {
  const { host, ada } = await work();
  await ada.subscribe(chat);
  await ada.subscribe(channel);
  ada.dispatch(set(note("a")), channel);
  ada.dispatch(set(note("b", { resolved: true })), channel);
  const whole = {
    id: "c",
    turnId: "t",
    resource: "file:///src/b.ts",
    resolved: false,
    entries: [{ id: "e", text: "Delete it." }],
  };
  const last = ada.dispatch(set(whole), channel);
  await ada.action("annotations/set", ({ origin }) => origin?.clientSeq === last);
  const send = async (turnId: string, more: object): Promise<void> => {
    const attachments = [{ type: "annotations", label: "Comments", resource: channel, ...more }];
    const message = { text: "Please fix", origin: { kind: "user" }, attachments };
    ada.dispatch({ type: "chat/turnStarted", turnId, startedAt: new Date().toISOString(), message }, chat);
    await ada.action("chat/turnComplete", ({ action }) => action.turnId === turnId);
  };
  await send("t1", {});
  const all = "Review comments:\n\n/src/a.ts:3-5\nWhy twice?\n\n/src/b.ts\nDelete it.";
  expect(host.agentRecord()).toContain(JSON.stringify({ type: "text", text: all }));
  await send("t2", { annotationIds: ["b"] });
  const one = "Review comments:\n\n/src/a.ts:3-5\nWhy twice?";
  expect(host.agentRecord()).toContain(JSON.stringify({ type: "text", text: one }));
});
