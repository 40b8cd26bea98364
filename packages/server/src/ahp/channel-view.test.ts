// Shows that an entry is serialized once for all viewers of a dialect, in order, no matter which one reads first.
import { makeId, newTerminalState, terminalUri } from "@holdfast/ahp";
import { v0_1, v1_0, type WireMessage } from "@holdfast/ahp/dialects";
import { Hub, type LogEntry } from "@holdfast/core";
import { expect, test } from "vitest";
import { type ChannelView, ChannelViews, readMessages } from "./channel-view.ts";

const uri = terminalUri(makeId("terminal", "t"));

function openHub(logLimitBytes?: number): Hub {
  const hub = new Hub(logLimitBytes === undefined ? {} : { logLimitBytes });
  const claim = { kind: "client", clientId: makeId("client", "ada") } as const;
  hub.open(uri, "terminal", newTerminalState({ resource: uri, run: "tty", title: "t", claim }));
  return hub;
}

function say(hub: Hub, text: string, offset: number): LogEntry {
  const action = { type: "terminal/data", data: text, offset, endOffset: offset + text.length } as const;
  const entry = hub.dispatch(uri, action);
  if (entry === undefined) throw new Error("Nothing came of it");
  return entry;
}

function shown(view: ChannelView, entry: LogEntry): WireMessage[] | undefined {
  const written = view.write(entry);
  return written && readMessages(written);
}

test("[E81] viewers of one dialect share the very same bytes, and those of another have their own", () => {
  const hub = openHub();
  const views = new ChannelViews(hub);
  const [one, other, old] = [views.take(v1_0, uri), views.take(v1_0, uri), views.take(v0_1, uri)];
  const entry = say(hub, "hello", 0);
  expect(one.write(entry)?.frames).toBe(other.write(entry)?.frames);
  expect(old.write(entry)?.frames).not.toBe(one.write(entry)?.frames);
  expect(shown(old, entry)).toMatchObject([{ params: { action: { terminal: "agenthost:/terminal/t" } } }]);
});

test("[E82] a viewer that asks for a late entry first finds the earlier ones reckoned in", () => {
  const hub = openHub();
  const view = new ChannelViews(hub).take(v1_0, uri);
  const started = hub.dispatch(uri, {
    type: "terminal/commandExecuted",
    commandId: makeId("command", "c"),
    commandLine: "ls",
    startedAt: "2026-01-01T00:00:00.000Z",
    offset: 0,
  });
  const exited = hub.dispatch(uri, {
    type: "terminal/exited",
    exitedAt: "2026-01-01T00:00:01.000Z",
    exit: { kind: "code", exitCode: 0 },
  });
  if (started === undefined || exited === undefined) throw new Error("Nothing came of it");
  const types = (entry: LogEntry): unknown[] | undefined =>
    shown(view, entry)?.map(({ params }) => ("action" in params ? params.action : undefined));
  // The end closes the command that the view was never asked about.
  expect(types(exited)).toMatchObject([{ type: "terminal/commandFinished" }, { type: "terminal/exited" }]);
  expect(types(started)).toMatchObject([{ type: "terminal/commandExecuted" }]);
});

test("[E82] an entry that left the log before anybody read it needs a state instead", () => {
  const hub = openHub(2000);
  const view = new ChannelViews(hub).take(v1_0, uri);
  const entries = Array.from({ length: 50 }, (_, index) => say(hub, "x".repeat(100), index * 100));
  expect(entries.map((entry) => view.write(entry))).toEqual(entries.map(() => undefined));
  expect(shown(view, say(hub, "again", 5000))).toHaveLength(1);
});

test("[E81] a view without users releases the channel", () => {
  const hub = openHub();
  const views = new ChannelViews(hub);
  const [one, other] = [views.take(v1_0, uri), views.take(v1_0, uri)];
  views.giveBack(one);
  expect(views.size).toBe(1);
  views.giveBack(other);
  expect(views.size).toBe(0);
  expect(hub.readers().count).toBe(0);
});
