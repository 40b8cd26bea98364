// Checks of the connection: introduction, errors, subscriptions, the root.
import { rootUriOf } from "./check-client.ts";
import { type Check, require } from "./check.ts";
import { fieldsOf, itemsOf } from "./wire.ts";

export const connectionChecks: readonly Check[] = [
  {
    id: "K1",
    title: "initialize returns the offered version, a serverSeq and the root's state with its agents",
    run: async ({ client, version }) => {
      const one = await client();
      const response = one.wire.heard.find(({ result }) => "protocolVersion" in fieldsOf(result));
      const { protocolVersion, serverSeq, snapshots } = fieldsOf(response?.result);
      require(protocolVersion ===
        version, `protocolVersion is ${JSON.stringify(protocolVersion)}, not "${version}"`);
      require(typeof serverSeq === "number", "serverSeq is no number");
      const root = itemsOf(snapshots).find(({ resource }) => resource === one.rootUri);
      require(root !== undefined, `there is no snapshot of ${one.rootUri}`);
      require(Array.isArray(fieldsOf(root["state"])["agents"]), "the root's state has no list of agents");
    },
  },
  {
    id: "K2",
    title: "ping is answered before initialize, and other requests are refused",
    run: async ({ open, version }) => {
      const wire = await open();
      const ping = await wire.ask("ping", { channel: rootUriOf(version) });
      require(ping.error === undefined, `ping failed with ${String(ping.error?.code)}`);
      const early = await wire.ask("listSessions", { channel: rootUriOf(version) });
      require(early.error !== undefined, "listSessions succeeded before initialize");
    },
  },
  {
    id: "K3",
    title: "an unknown version fails with -32005 and the supported versions, and closes the connection",
    run: async ({ open, version, name }) => {
      const wire = await open();
      const params = { channel: rootUriOf(version), protocolVersions: ["0.0.1"], clientId: name() };
      const { error } = await wire.ask("initialize", params);
      require(error?.code ===
        -32005, `the response is ${error === undefined ? "a result" : String(error.code)}`);
      const { supportedVersions } = error.data;
      require(Array.isArray(supportedVersions) &&
        supportedVersions.every(
          (each) => typeof each === "string",
        ), "data.supportedVersions is no list of versions");
      require(await wire.isClosed(), "the connection stays open");
    },
  },
  {
    id: "K4",
    title:
      "an unknown method fails with -32601, and a frame that is no JSON with -32700 or the end of the connection",
    run: async ({ client }) => {
      const { wire, rootUri } = await client();
      const { error } = await wire.ask("noSuchMethod", { channel: rootUri });
      require(error?.code === -32601, `an unknown method is answered with ${String(error?.code)}`);
      const refused = wire.wait("an error", (heard) => heard.error?.code === -32700);
      wire.sendText("{");
      const isAnswered = await refused.then(
        () => true,
        () => wire.isClosed(),
      );
      require(isAnswered, "a frame that is no JSON is ignored");
    },
  },
  {
    id: "K5",
    title: "subscribing to a channel that does not exist fails, and an action on it is not accepted",
    run: async ({ client, name }) => {
      const one = await client();
      const uri = one.terminalUri(name());
      const { error } = await one.ask("subscription", "subscribe", uri);
      require(error !== undefined, `subscribe to ${uri} succeeded`);
      one.dispatch(uri, { type: "terminal/titleChanged", title: "x" });
      await one.wire.settle(one.rootUri);
      // AHP demands silence for sessions and chats; of terminals it says nothing, so a rejection is fine.
      require(one
        .actions()
        .every(
          ({ channel, rejectionReason }) => channel !== uri || rejectionReason !== undefined,
        ), "an action on an unknown channel is echoed");
    },
  },
  {
    id: "K6",
    title: "listSessions returns a list of sessions with URIs",
    run: async ({ client }) => {
      const { wire, rootUri } = await client();
      const { items } = fieldsOf(await wire.request("listSessions", { channel: rootUri }));
      require(Array.isArray(items), "items is no list");
      require(itemsOf(items).every(
        ({ resource }) => typeof resource === "string",
      ), "a session has no resource");
    },
  },
  {
    id: "K7",
    title: "reconnect fails for a client that the host does not know",
    run: async ({ open, version, name }) => {
      const wire = await open();
      const params = { clientId: name(), lastSeenServerSeq: 0, subscriptions: [] };
      const { error } = await wire.ask("reconnect", { channel: rootUriOf(version), ...params });
      require(error !== undefined, "reconnect of an unknown client succeeded");
    },
  },
];
