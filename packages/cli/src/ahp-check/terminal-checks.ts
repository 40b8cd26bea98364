// Checks of terminals: created, typed into, claimed, shared, resumed, ended.
import { type CheckClient, type HeardAction, contentOf, isSince, readAction } from "./check-client.ts";
import { type Check, type CheckContext, require } from "./check.ts";
import { type Fields, fieldsOf, itemsOf } from "./wire.ts";

/** A terminal, its holder and its state when it was subscribed to. */
interface Opened {
  readonly uri: string;
  readonly holder: CheckClient;
  readonly state: Fields;
  readonly fromSeq: number;
}

async function openTerminal({ client, name }: CheckContext): Promise<Opened> {
  const holder = await client();
  const uri = holder.terminalUri(name());
  await holder.createTerminal(uri);
  return { uri, holder, ...(await holder.subscribe(uri)) };
}

/** Types a command that prints a number which is not in what is typed. */
async function run(by: CheckClient, uri: string, number: number, from = 0): Promise<void> {
  by.dispatch(uri, { type: "terminal/input", data: `echo n$((${number - 1}+1))n\r` });
  await by.output(uri, `n${number}n`, from);
}

function isListed(type: string, uri: string, terminals: unknown): boolean {
  return type === "root/terminalsChanged" && itemsOf(terminals).some(({ resource }) => resource === uri);
}

const isFrom =
  (client: CheckClient, clientSeq: number) =>
  (heard: HeardAction): boolean => {
    const origin = fieldsOf(heard.origin);
    return origin["clientId"] === client.clientId && origin["clientSeq"] === clientSeq;
  };

export const terminalChecks: readonly Check[] = [
  {
    id: "K10",
    title: "createTerminal returns null and lists the terminal with its title and claim in the root",
    run: async ({ client, name }) => {
      const one = await client();
      const uri = one.terminalUri(name());
      require((await one.createTerminal(uri)) === null, "the result is not null");
      const { action } = await one.action("root/terminalsChanged", (heard) =>
        isListed("root/terminalsChanged", uri, heard.action["terminals"]),
      );
      const info = itemsOf(action["terminals"]).find(({ resource }) => resource === uri) ?? {};
      require(typeof info["title"] === "string", "the terminal has no title");
      require(fieldsOf(info["claim"])["clientId"] === one.clientId, "the claim does not name its client");
    },
  },
  {
    id: "K11",
    title: "a running terminal's state has a claim, content, and no exit",
    run: async (context) => {
      const { state } = await openTerminal(context);
      require(fieldsOf(state["claim"])["kind"] === "client", "the claim's kind is not client");
      require(Array.isArray(state["content"]), "content is no list");
      require(state["exitCode"] === undefined, "a running terminal has an exitCode");
      if (!isSince(context.version, "0.9.0")) return;
      require(fieldsOf(state["lifecycle"])["status"] === "running", "lifecycle.status is not running");
    },
  },
  {
    id: "K12",
    title: "a second terminal with the same URI fails, and the first stays",
    run: async (context) => {
      const { uri, holder } = await openTerminal(context);
      const claim = { kind: "client", clientId: holder.clientId };
      const { error } = await holder.ask("terminal", "createTerminal", uri, { claim });
      require(error !== undefined, "createTerminal succeeded twice");
      await run(holder, uri, 12);
    },
  },
  {
    id: "K13",
    title: "output arrives with increasing numbers above the snapshot's, and without an origin that is null",
    run: async (context) => {
      const { uri, holder, fromSeq } = await openTerminal(context);
      await run(holder, uri, 131);
      await run(holder, uri, 132);
      const heard = holder.actions().filter(({ channel }) => channel === uri);
      const numbers = heard
        .filter(({ rejectionReason }) => rejectionReason === undefined)
        .map((each) => each.serverSeq);
      require(numbers.every((each) => typeof each === "number"), "an action has no serverSeq");
      require(numbers.every((each) => each >= fromSeq), "an action is not above the snapshot's fromSeq");
      const data = heard
        .filter(({ action }) => action["type"] === "terminal/data")
        .map((each) => Number(each.serverSeq));
      require(data.every(
        (each, index) => index === 0 || each > (data[index - 1] ?? 0),
      ), "numbers do not increase");
      require(heard.every(
        ({ origin }) => origin !== null,
      ), "an action of the host has origin null, not none");
    },
  },
  {
    id: "K14",
    title:
      "an accepted action is echoed once to its author with its origin, and sent to every other subscriber",
    run: async (context) => {
      const { uri, holder } = await openTerminal(context);
      const other = await context.client();
      await other.subscribe(uri);
      const clientSeq = holder.dispatch(uri, { type: "terminal/titleChanged", title: "renamed" });
      const isEcho = (heard: HeardAction): boolean =>
        heard.channel === uri && isFrom(holder, clientSeq)(heard);
      const echo = await holder.action("terminal/titleChanged", isEcho);
      require(echo.rejectionReason === undefined, `it was rejected: ${String(echo.rejectionReason)}`);
      await other.action("terminal/titleChanged", (heard) => heard.action["title"] === "renamed");
      await holder.wire.settle(holder.rootUri);
      const count = holder.actions().filter((heard) => heard.action["title"] === "renamed").length;
      require(count === 1, `the author received it ${count} times`);
    },
  },
  {
    id: "K15",
    title: "an action that is sent again with its number runs once",
    run: async (context) => {
      const { uri, holder } = await openTerminal(context);
      const action = { type: "terminal/input", data: "echo n$((14+1))n\r" };
      const clientSeq = holder.dispatch(uri, action);
      holder.dispatch(uri, action, clientSeq);
      await run(holder, uri, 16);
      const count = holder.outputSince(uri, 0).split("n15n").length - 1;
      require(count === 1, `it ran ${count} times`);
    },
  },
  {
    id: "K16",
    title:
      "an action that only the host may dispatch is echoed to its author with a rejectionReason, and to nobody else",
    run: async (context) => {
      const { uri, holder } = await openTerminal(context);
      const other = await context.client();
      await other.subscribe(uri);
      const clientSeq = holder.dispatch(uri, { type: "terminal/data", data: "forged" });
      const echo = await holder.action("terminal/data", isFrom(holder, clientSeq));
      require(typeof echo.rejectionReason === "string", "there is no rejectionReason");
      await other.wire.settle(other.rootUri);
      require(!other.outputSince(uri, 0).includes("forged"), "another client received what was rejected");
    },
  },
  {
    id: "K17",
    title: "a terminal that a connected client holds cannot be claimed by another",
    run: async (context) => {
      const { uri, holder } = await openTerminal(context);
      const other = await context.client();
      await other.subscribe(uri);
      const claim = { kind: "client", clientId: other.clientId };
      const clientSeq = other.dispatch(uri, { type: "terminal/claimed", claim });
      const echo = await other.action("terminal/claimed", isFrom(other, clientSeq));
      require(typeof echo.rejectionReason === "string", "the claim was accepted");
      const { state } = await holder.subscribe(uri);
      require(fieldsOf(state["claim"])["clientId"] === holder.clientId, "the claim has changed");
    },
  },
  {
    id: "K18",
    title: "a program's end is reported with its exit code, and the terminal stays listed and readable",
    run: async (context) => {
      const { uri, holder } = await openTerminal(context);
      holder.dispatch(uri, { type: "terminal/input", data: "exit 3\r" });
      const { action } = await holder.action("terminal/exited");
      require(action["exitCode"] === 3, `exitCode is ${JSON.stringify(action["exitCode"])}, not 3`);
      const late = await context.client();
      const { state } = await late.subscribe(uri);
      const lifecycle = fieldsOf(state["lifecycle"]);
      const hasLifecycle = isSince(context.version, "0.9.0");
      const exitCode = hasLifecycle ? lifecycle["exitCode"] : state["exitCode"];
      require(exitCode === 3, `the state's exit code is ${JSON.stringify(exitCode)}, not 3`);
      if (hasLifecycle) require(lifecycle["status"] === "exited", "lifecycle.status is not exited");
    },
  },
  {
    id: "K19",
    title: "a client that joins late sees what the first one received",
    run: async (context) => {
      const { uri, holder, state } = await openTerminal(context);
      await run(holder, uri, 19);
      const late = await context.client();
      const joined = await late.subscribe(uri);
      await holder.wire.settle(holder.rootUri);
      const first = contentOf(state) + holder.outputSince(uri, 0);
      const text = plainText(contentOf(joined.state) + late.outputSince(uri, 0));
      require(text.includes("n19n"), "the state lacks output");
      const lost = plainText(first).length - text.length;
      // A host may draw the screen again instead of repeating the bytes.
      require(Math.abs(lost) <= 200, `the two differ by ${Math.abs(lost)} characters`);
      const echoed = holder.outputSince(uri, 0).split("n19n").length;
      require(echoed === 2, "the first client received the output more or less than once");
    },
  },
  {
    id: "K20",
    title: "a client that reconnects misses nothing and receives nothing twice",
    run: async (context) => {
      const { uri, holder } = await openTerminal(context);
      const other = await context.client();
      const { fromSeq } = await other.subscribe(uri);
      await run(holder, uri, 201);
      await other.output(uri, "n201n");
      const seen = Math.max(fromSeq, ...other.actions().map(({ serverSeq }) => Number(serverSeq)));
      const before = other.outputSince(uri, 0);
      await other.wire.cut();
      holder.dispatch(uri, { type: "terminal/titleChanged", title: "while away" });
      await run(holder, uri, 202);
      const wire = await context.open();
      const params = {
        clientId: other.clientId,
        lastSeenServerSeq: seen,
        subscriptions: [other.rootUri, uri],
      };
      const result = fieldsOf(await wire.request("reconnect", { channel: other.rootUri, ...params }));
      const replayed = itemsOf(result["actions"]).map(readAction);
      const snapshot = itemsOf(result["snapshots"]).find(({ resource }) => resource === uri);
      require(result["type"] === "replay" ||
        snapshot !== undefined, "neither a replay nor a state of the terminal");
      if (snapshot !== undefined) {
        require(contentOf(fieldsOf(snapshot["state"])).includes("n202n"), "the state lacks output");
        return;
      }
      const ofTerminal = replayed.filter(({ channel }) => channel === uri);
      require(ofTerminal.every(({ serverSeq }) => Number(serverSeq) > seen), "an action is repeated");
      const titles = ofTerminal.filter(({ action }) => action["title"] === "while away").length;
      require(titles === 1, `a change of the title is replayed ${titles} times`);
      const data = ofTerminal.filter(({ action }) => action["type"] === "terminal/data");
      const whole = before + data.map(({ action }) => String(action["data"])).join("");
      require(whole.split("n202n").length === 2, "the output since is not replayed once");
    },
  },
  {
    id: "K21",
    title: "unsubscribe ends the actions of a channel",
    run: async (context) => {
      const { uri, holder } = await openTerminal(context);
      const other = await context.client();
      await other.subscribe(uri);
      other.unsubscribe(uri);
      await other.wire.settle(other.rootUri);
      const from = other.wire.heard.length;
      await run(holder, uri, 21);
      await other.wire.settle(other.rootUri);
      require(other.outputSince(uri, from) === "", "output arrives after unsubscribe");
    },
  },
  {
    id: "K22",
    title: "disposeTerminal takes the terminal off the root's list and frees its URI",
    run: async (context) => {
      const { uri, holder } = await openTerminal(context);
      const from = holder.wire.heard.length;
      const { error } = await holder.ask("terminal", "disposeTerminal", uri);
      require(error === undefined, `disposeTerminal failed with ${String(error?.code)}`);
      await holder.action(
        "root/terminalsChanged",
        ({ action }) => !isListed("root/terminalsChanged", uri, action["terminals"]),
        from,
      );
      require((await holder.createTerminal(uri)) === null, "the URI is still in use");
    },
  },
];

/** Without escape sequences and line ends. */
function plainText(text: string): string {
  return text.replaceAll(
    /\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)|\u001B\[[0-9;?]*[ -/]*[@-~]|[\r\n]/g,
    "",
  );
}
