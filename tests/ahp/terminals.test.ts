// Shows terminals shared by clients of several dialects at once, over real WebSockets and real shells.
import type { ChannelHandle } from "@holdfast/ahp/client";
import { forwardTo, TerminalError } from "@holdfast/terminal/port";
import { describe, expect, test } from "vitest";
import { createDeferred, type Deferred } from "../../packages/jsonrpc/src/deferred.ts";
import { useServedHosts, type ServedHost } from "./served-host.ts";
import type { HeardEnvelope } from "./heard.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();

const uri = "ahp-terminal:/shell";
const seedUri = "agenthost:/terminal/shell";

/** A shell held by a client of 1.0, and one of the seed that looks on. */
async function share(host: ServedHost): Promise<{ holder: WireClient; viewer: WireClient }> {
  const holder = await host.client({ clientId: "holder", subscriptions: ["ahp-root://"] });
  const viewer = await host.client({
    clientId: "viewer",
    version: "0.1.0",
    subscriptions: ["agenthost:/root"],
  });
  const claim = { kind: "client", clientId: "holder" };
  await holder.request("createTerminal", {
    channel: uri,
    claim,
    cwd: `file://${host.work}`,
    cols: 100,
    rows: 30,
  });
  await holder.subscribe(uri);
  await viewer.subscribe(seedUri);
  return { holder, viewer };
}

test("[E75] a terminal is listed for all, and shown to each under the name that its dialect has for it", async () => {
  const host = await serveHost();
  const { holder, viewer } = await share(host);
  const listed = await holder.action("root/terminalsChanged", ({ action }) => action.terminals?.length === 1);
  expect(listed.action.terminals?.[0]).toMatchObject({
    resource: uri,
    claim: { kind: "client", clientId: "holder" },
    lifecycle: { status: "running" },
  });
  const old = await viewer.action("root/terminalsChanged", ({ action }) => action.terminals?.length === 1);
  expect(old.action.terminals?.[0]).toMatchObject({ resource: seedUri, claim: { clientId: "holder" } });
  expect(old.action.terminals?.[0]).not.toHaveProperty("lifecycle");
  const snapshot = await viewer.subscribe(seedUri);
  expect(snapshot).toMatchObject({ resource: seedUri, state: { cols: 100, rows: 30 } });
});

test("[E76] all clients see what one types, and only the shell gets the input", async () => {
  const host = await serveHost();
  const { holder, viewer } = await share(host);
  holder.dispatch({ type: "terminal/input", data: "echo one-$((40+2))\r" }, uri);
  for (const client of [holder, viewer]) await expect.poll(() => client.output()).toContain("one-42");
  const typed = ({ action }: HeardEnvelope): boolean => action.type === "terminal/input";
  expect(viewer.actions.filter(typed)).toEqual([]);
  expect(holder.actions.filter(typed)).toMatchObject([{ origin: { clientId: "holder", clientSeq: 1 } }]);
  const shown = viewer.actions.find(({ action }) => action.type === "terminal/data");
  expect(shown).toMatchObject({ action: { terminal: seedUri } });
  expect(shown).not.toHaveProperty("channel");
});

test("[E77] a client that does not hold a terminal alone gets the rejection", async () => {
  const host = await serveHost();
  const { holder, viewer } = await share(host);
  const seq = viewer.dispatch({ type: "terminal/input", terminal: seedUri, data: "x" });
  const refusal = await viewer.action("terminal/input", ({ origin }) => origin?.clientSeq === seq);
  expect(refusal).toMatchObject({
    rejectionReason: expect.stringMatching(/\w/),
    origin: { clientId: "viewer" },
  });
  viewer.dispatch({ type: "session/titleChanged", session: "mine:/none", title: "x" });
  viewer.dispatch({ type: "terminal/data", terminal: seedUri, data: "x" });
  expect(
    await viewer.action("terminal/data", ({ rejectionReason }) => rejectionReason !== undefined),
  ).toBeDefined();
  await holder.request("ping");
  expect(holder.actions.filter(({ rejectionReason }) => rejectionReason !== undefined)).toEqual([]);
  const silent = ({ action }: HeardEnvelope): boolean => action.session === "mine:/none";
  expect(viewer.actions.filter(silent)).toEqual([]);
});

test("[E78] of two clients that claim a terminal at once, one gets it and the other a rejection", async () => {
  const host = await serveHost();
  const { holder, viewer } = await share(host);
  const third = await host.client({ clientId: "third" });
  await third.subscribe(uri);
  // The holder gives it to one of them: from then on nobody else may.
  holder.dispatch({ type: "terminal/claimed", claim: { kind: "client", clientId: "third" } }, uri);
  const claimed = ({ action }: HeardEnvelope): boolean => action.claim?.clientId === "third";
  for (const client of [holder, viewer, third]) await client.action("terminal/claimed", claimed);
  const again = holder.dispatch(
    { type: "terminal/claimed", claim: { kind: "client", clientId: "holder" } },
    uri,
  );
  const refusal = await holder.action("terminal/claimed", ({ origin }) => origin?.clientSeq === again);
  expect(refusal.rejectionReason).toMatch(/\w/);
  third.dispatch({ type: "terminal/titleChanged", title: "Mine" }, uri);
  expect(await viewer.action("terminal/titleChanged", ({ action }) => action.title === "Mine")).toMatchObject(
    {
      origin: { clientId: "third", clientSeq: 1 },
    },
  );
});

test("[E74] numbers only grow on a connection, in every dialect, and snapshots lie below what follows", async () => {
  const host = await serveHost();
  const { holder, viewer } = await share(host);
  holder.dispatch({ type: "terminal/titleChanged", title: "A" }, uri);
  holder.dispatch({ type: "terminal/input", data: "for i in 1 2 3; do echo $i; done; exit 3\r" }, uri);
  for (const client of [holder, viewer]) {
    await client.action("terminal/exited");
    const numbers = client.actions.map(({ serverSeq }) => serverSeq);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  }
  expect(await viewer.action("terminal/exited")).toMatchObject({ action: { exitCode: 3 } });
});

test("[E79] a disposed terminal leaves the list, one of the same name is refused while it is there, and may be made afterwards", async () => {
  const host = await serveHost();
  const { holder, viewer } = await share(host);
  const claim = { kind: "client", clientId: "holder" };
  expect(await holder.ask("createTerminal", { channel: uri, claim })).toMatchObject({
    error: { code: -32010 },
  });
  holder.dispatch({ type: "terminal/input", data: "echo first-$((20+1))\r" }, uri);
  await expect.poll(() => viewer.output()).toContain("first-21");
  expect(await holder.request("disposeTerminal", { channel: uri })).toBeNull();
  await holder.action("root/terminalsChanged", ({ action }) => action.terminals?.length === 0);
  // Somebody looks at what is kept of it when its name is used again.
  const { state: kept } = await viewer.subscribe(seedUri);
  expect(kept).toHaveProperty("exitCode");
  await holder.request("createTerminal", { channel: uri, claim, cwd: `file://${host.work}` });
  const { state } = await holder.subscribe(uri);
  expect(state).toMatchObject({ lifecycle: { status: "running" } });
  expect(JSON.stringify(state.content)).not.toContain("first-21");
  await viewer.subscribe(seedUri);
  holder.dispatch({ type: "terminal/input", data: "echo second-$((20+2))\r" }, uri);
  for (const client of [holder, viewer]) await expect.poll(() => client.output()).toContain("second-22");
  expect(await viewer.ask("disposeTerminal", { terminal: "agenthost:/terminal/none" })).toMatchObject({
    error: { code: -32008 },
  });
});

test("[E327] only the holder disposes a terminal, until it is gone", async () => {
  const host = await serveHost();
  const { holder, viewer } = await share(host);
  expect(await viewer.ask("disposeTerminal", { terminal: seedUri })).toMatchObject({
    error: { code: -32011, message: expect.stringContaining("Another client holds") },
  });
  holder.close();
  await viewer.action("terminal/claimed");
  expect(await viewer.request("disposeTerminal", { terminal: seedUri })).toBeNull();
});

test("[U10] a terminal is claimed for clients that exist, at its creation and later", async () => {
  const host = await serveHost();
  const { holder, viewer } = await share(host);
  const nobody = { kind: "client", clientId: "nobody" };
  const other = { channel: "ahp-terminal:/other", claim: nobody };
  expect(await holder.ask("createTerminal", other)).toMatchObject({
    error: { code: -32602, message: expect.stringContaining("no such client") },
  });
  holder.dispatch({ type: "terminal/claimed", claim: nobody }, uri);
  expect(await holder.action("terminal/claimed")).toHaveProperty("rejectionReason");
  // To one that was here and may come back: anyone may replace it meanwhile.
  const passing = await host.client({ clientId: "passing" });
  passing.close();
  await passing.closed;
  holder.dispatch({ type: "terminal/claimed", claim: { kind: "client", clientId: "passing" } }, uri);
  await viewer.action("terminal/claimed", ({ action }) => action.claim?.clientId === "passing");
  viewer.dispatch({
    type: "terminal/claimed",
    terminal: seedUri,
    claim: { kind: "client", clientId: "viewer" },
  });
  expect(await viewer.action("terminal/claimed", ({ origin }) => origin !== undefined)).not.toHaveProperty(
    "rejectionReason",
  );
});

test.each([
  "ahp-root://",
  "agenthost:/root",
  "ahp-session:/x",
  "ahp-chat:/x",
  "ahp-terminal:/",
  "agenthost:/terminal/",
  "shell",
  "",
])("[E328] no terminal is made at %j", async (channel) => {
  const host = await serveHost();
  for (const version of ["1.0.0", "0.1.0"]) {
    const client = await host.client({ clientId: `of-${version}`, version });
    const claim = { kind: "client", clientId: `of-${version}` };
    expect(await client.ask("createTerminal", { channel, terminal: channel, claim })).toMatchObject({
      error: { code: -32602 },
    });
  }
});

test("[E328] a client's own scheme names a terminal", async () => {
  const host = await serveHost();
  const client = await host.client({ clientId: "editor" });
  const claim = { kind: "client", clientId: "editor" };
  const channel = "agenthost-terminal:/7";
  expect(await client.request("createTerminal", { channel, claim, cwd: `file://${host.work}` })).toBeNull();
});

test("[E323] two terminals that the seed would call by one name are not made", async () => {
  const host = await serveHost();
  const { viewer } = await share(host);
  const claim = { kind: "client", clientId: "viewer" };
  const exists = { error: { code: -32010 } };
  expect(await viewer.ask("createTerminal", { terminal: seedUri, claim })).toMatchObject(exists);
  const own = "agenthost:/terminal/mine";
  await viewer.request("createTerminal", { terminal: own, claim, cwd: `file://${host.work}` });
  const modern = await host.client({ clientId: "modern" });
  const wanted = { channel: "ahp-terminal:/mine", claim: { kind: "client", clientId: "modern" } };
  expect(await modern.ask("createTerminal", wanted)).toMatchObject(exists);
  const listed = await viewer.action("root/terminalsChanged", ({ action }) => action.terminals?.length === 2);
  expect(listed.action.terminals).toMatchObject([{ resource: seedUri }, { resource: own }]);
});

test("[E324] an acknowledgement is never older than a state that the client has", async () => {
  const host = await serveHost();
  const { holder } = await share(host);
  const other = await host.client({ clientId: "other" });
  // Nothing that the holder follows changes, and yet numbers grow.
  for (const name of ["a", "b", "c"]) {
    await other.request("createTerminal", {
      channel: `ahp-terminal:/${name}`,
      claim: { kind: "client", clientId: "other" },
      cwd: `file://${host.work}`,
    });
  }
  const { fromSeq } = await holder.subscribe("ahp-terminal:/c");
  const typed = holder.dispatch({ type: "terminal/input", data: "x" }, uri);
  const echo = await holder.action("terminal/input", ({ origin }) => origin?.clientSeq === typed);
  expect(echo.serverSeq).toBeGreaterThanOrEqual(fromSeq);
  const refused = holder.dispatch({ type: "terminal/input", data: "x" }, "ahp-terminal:/c");
  const rejection = await holder.action("terminal/input", ({ origin }) => origin?.clientSeq === refused);
  expect(rejection).toHaveProperty("rejectionReason");
  expect(rejection.serverSeq).toBeGreaterThanOrEqual(fromSeq);
});

test("[E85] our own client types, sees its echo, and follows the terminal's state", async () => {
  const host = await serveHost();
  await share(host);
  const own = await host.own("own");
  let text = "";
  const handle = await own.subscribe(uri, "terminal", {
    onEvent: (event) => {
      if (event.type === "action" && event.action.type === "terminal/data") text += event.action.data;
    },
  });
  expect(await handle.dispatch({ type: "terminal/input", data: "x" })).toMatchObject({ status: "rejected" });
  const holder = await host.client({ clientId: "holder" });
  holder.dispatch({ type: "terminal/claimed", claim: { kind: "client", clientId: "own" } }, uri);
  await expect.poll(() => handle.state.claim).toMatchObject({ clientId: "own" });
  expect(await handle.dispatch({ type: "terminal/input", data: "echo a-$((6*7))\r" })).toMatchObject({
    status: "confirmed",
  });
  await expect.poll(() => text).toContain("a-42");
  expect(await handle.dispatch({ type: "terminal/resized", cols: 90, rows: 20 })).toMatchObject({
    status: "confirmed",
  });
  expect(handle.confirmed.size).toEqual({ cols: 90, rows: 20 });
});

describe("[U770] input whose key the client can send again", () => {
  /** A shell whose process port confirms input when the test says so. */
  async function typeInto(): Promise<{
    handle: ChannelHandle<"terminal">;
    confirmation: Deferred<void>;
    output: () => string;
  }> {
    const confirmation = createDeferred<void>();
    const host = await serveHost({
      wrapPort: (port) =>
        forwardTo(port, {
          start: async (request, sink) => {
            const run = await port.start(request, sink);
            if (run.kind === "tty") run.inputTaken = () => confirmation.promise;
            return run;
          },
        }),
    });
    const { holder } = await share(host);
    const own = await host.own("own");
    let output = "";
    const handle = await own.subscribe(uri, "terminal", {
      onEvent: (event) => {
        if (event.type === "action" && event.action.type === "terminal/data") output += event.action.data;
      },
    });
    const unkeyed = holder.dispatch({ type: "terminal/input", data: "echo un$((1))\r" }, uri);
    await holder.action("terminal/input", ({ origin }) => origin?.clientSeq === unkeyed);
    holder.dispatch({ type: "terminal/claimed", claim: { kind: "client", clientId: "own" } }, uri);
    await expect.poll(() => handle.state.claim).toMatchObject({ clientId: "own" });
    return { handle, confirmation, output: () => output };
  }

  test("is typed at once, and confirmed when a kill of the host cannot lose it", async () => {
    const { handle, confirmation, output } = await typeInto();
    const outcomes: string[] = [];
    for (const data of ["echo one$((1))\r", "echo two$((2))\r"]) {
      void handle.dispatch({ type: "terminal/input", data }).then(({ status }) => outcomes.push(status));
    }
    await expect.poll(output).toMatch(/one1[^]*two2/);
    expect(outcomes).toEqual([]);
    confirmation.resolve(undefined);
    await expect.poll(() => outcomes).toEqual(["confirmed", "confirmed"]);
  });

  test("has no response from a host that another one replaced", async () => {
    const { handle, confirmation } = await typeInto();
    const outcomes: string[] = [];
    const settled = handle
      .dispatch({ type: "terminal/input", data: "echo\r" })
      .then(({ status }) => outcomes.push(status));
    await handle.dispatch({ type: "terminal/titleChanged", title: "later", source: "person" });
    confirmation.reject(new TerminalError("fenced", "Another host has taken over"));
    await handle.dispatch({ type: "terminal/titleChanged", title: "last", source: "person" });
    expect(outcomes).toEqual([]);
    handle.close();
    await settled;
    expect(outcomes).toEqual(["lost"]);
  });
});
