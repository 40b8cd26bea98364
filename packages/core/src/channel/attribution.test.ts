// Shows that what the host does for a client carries that client's name, and nothing else does.
import { makeId, newTerminalState, terminalUri } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { Hub } from "./hub.ts";

const uri = terminalUri(makeId("terminal", "t"));
const clientId = makeId("client", "ada");
const origin = { clientId, clientSeq: 7 };
const asked = { uri, type: "terminal/titleChanged", origin } as const;
const title = (text: string) => ({ type: "terminal/titleChanged", title: text, source: "person" }) as const;

function openHub(): Hub {
  const hub = new Hub();
  const claim = { kind: "client", clientId } as const;
  hub.open(
    uri,
    "terminal",
    newTerminalState({ resource: uri, run: "tty", title: "t", titleSource: "person", claim }),
  );
  return hub;
}

test("[E91] the first such action that comes of it is the client's, and no other", () => {
  const hub = openHub();
  const { cursor } = hub.subscribe(uri);
  const entry = hub.attribute(asked, () => {
    hub.dispatch(uri, { type: "terminal/resized", cols: 2, rows: 2 });
    hub.dispatch(uri, title("one"));
    hub.dispatch(uri, title("two"));
  });
  hub.dispatch(uri, title("three"));
  expect(entry).toMatchObject({ action: { title: "one" }, origin });
  const reading = cursor.read();
  const origins = reading.kind === "entries" ? reading.entries.map((each) => each.origin) : [];
  expect(origins).toEqual([undefined, origin, undefined, undefined]);
});

test("[E91] where nothing came of it, or it failed, there is no entry and nobody's name is left over", () => {
  const hub = openHub();
  expect(hub.attribute(asked, () => hub.dispatch(uri, title("t")))).toBeUndefined();
  const fail = (): void => {
    throw new Error("no");
  };
  expect(() => hub.attribute(asked, fail)).toThrow("no");
  expect(hub.dispatch(uri, title("later"))?.origin).toBeUndefined();
});
