// Shows what becomes of clients that fell behind a flood, together or while the terminal was ended.
import { expect, test } from "vitest";
import { useServedHosts } from "../served-host.ts";

const serveHost = useServedHosts();

const uri = "ahp-terminal:/gone";
/** Several times what the host and the system keep for a client that does not read. */
const floodBytes = process.env["HOLDFAST_LONG"] === undefined ? 16_000_000 : 40_000_000;

test("[E112] a client that is behind when a terminal is ended gets its end once it reads", async () => {
  const host = await serveHost();
  const ada = await host.client({ clientId: "ada" });
  await ada.request("createTerminal", { channel: uri, claim: { kind: "client", clientId: "ada" } });
  await ada.subscribe(uri);
  const slow = await host.client({ clientId: "slow" });
  await slow.subscribe(uri);
  slow.socket.pause();
  ada.dispatch(
    {
      type: "terminal/input",
      data: `head -c ${floodBytes} /dev/zero | tr '\\0' x; echo; echo all-$((20+1))\r`,
    },
    uri,
  );
  await ada.wrote("all-21");
  await ada.request("disposeTerminal", { channel: uri });
  await ada.action("terminal/exited");
  slow.socket.resume();
  await slow.action("terminal/exited");
  expect(host.faults).toEqual([]);
});

test("[E113] clients of a dialect that fell behind together get the same frames, encoded once", async () => {
  const host = await serveHost();
  const ada = await host.client({ clientId: "ada" });
  await ada.request("createTerminal", { channel: uri, claim: { kind: "client", clientId: "ada" } });
  await ada.subscribe(uri);
  const slow = await Promise.all(
    ["one", "two", "three"].map(async (clientId) => {
      const client = await host.client({ clientId });
      await client.subscribe(uri);
      client.socket.pause();
      return client;
    }),
  );
  ada.dispatch(
    { type: "terminal/input", data: `head -c ${floodBytes} /dev/zero | tr '\\0' x; exit 3\r` },
    uri,
  );
  await ada.action("terminal/exited");
  for (const client of slow) client.socket.resume();
  const ends = await Promise.all(slow.map((client) => client.action("terminal/exited")));
  const starts = await Promise.all(slow.map((client) => client.action("terminal/cleared")));
  expect(new Set(ends.map(({ serverSeq }) => serverSeq)).size).toBe(1);
  expect(new Set(starts.map(({ serverSeq }) => serverSeq)).size).toBe(1);
  for (const client of slow) {
    const numbers = client.actions.map(({ serverSeq }) => serverSeq);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  }
});
