// Rights that depend on the process at the other end of a connection.
import type { Socket } from "node:net";
import { makeId } from "@holdfast/ahp";
import type { MarkerOwner } from "@holdfast/core";
import { HostError } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import type { Identity } from "./identity.ts";
import { PeerCheck, type PeerCheckParts } from "./peer-check.ts";

const owner: Identity = {
  kind: "token",
  caller: { kind: "owner" },
  clientId: makeId("client", "owner"),
  scopes: [],
  isRefused: false,
};
const app: Identity = { ...owner, kind: "app-id", caller: { kind: "app", appId: makeId("app", "a") } };
const key: Identity = { ...owner, kind: "key", caller: { kind: "app", appId: makeId("app", "key:a") } };

const owners: Readonly<Record<string, MarkerOwner>> = {
  person: { kind: "person" },
  claude: { kind: "agent", agentId: "claude-cli" },
  closed: { kind: "agent", agentId: undefined },
  forgotten: { kind: "forgotten" },
};

interface Peer {
  readonly markers?: readonly string[];
  readonly isOfHelper?: boolean;
  readonly uid?: number;
}

function socketFrom(remoteAddress: string, localAddress = "127.0.0.1"): Socket {
  return { remoteAddress, localAddress, remotePort: 1, localPort: 2 } as Socket;
}

function open(peer: Peer | undefined, parts: Partial<PeerCheckParts> = {}) {
  const audited: string[] = [];
  let searches = 0;
  const check = new PeerCheck({
    finder: {
      findSocket: async () => {
        searches += 1;
        return peer && { uid: peer.uid ?? 7, inode: "1" };
      },
      findProcess: async () => peer && { pid: 1, command: "curl", markers: [], isOfHelper: false, ...peer },
    },
    ownerOfMarker: (marker) => owners[marker],
    audit: { record: ({ what, by, subject }) => audited.push(`${what} ${by} ${subject}`) },
    uid: 7,
    ...parts,
  });
  const outcome = (identity: Identity, socket = socketFrom("127.0.0.1")): Promise<string> =>
    check.require(identity, socket).then(
      () => "allowed",
      (error: unknown) => (error instanceof HostError ? error.code : String(error)),
    );
  return { outcome, audited, searches: () => searches };
}

describe("[A626] the owner's credential", () => {
  it.each<[string, Peer | undefined, string]>([
    ["a process that cannot be determined", undefined, "allowed"],
    ["a process without a marker", {}, "allowed"],
    ["a person's terminal", { markers: ["person"] }, "allowed"],
    ["an agent", { markers: ["claude"] }, "CALLER_IS_AGENT"],
    ["an agent whose session is closed", { markers: ["closed"] }, "CALLER_IS_AGENT"],
    ["an agent with a person's marker", { markers: ["person", "claude"] }, "CALLER_IS_AGENT"],
    ["a process whose owner is forgotten", { markers: ["forgotten"] }, "CALLER_IS_AGENT"],
    ["a forgotten one below a person's terminal", { markers: ["forgotten", "person"] }, "allowed"],
    ["a terminal of another host", { markers: ["another"] }, "allowed"],
    ["a process of our cgroup without a marker", { isOfHelper: true }, "CALLER_IS_AGENT"],
  ])("[A626] [A627] from %s", async (_name, peer, expected) => {
    const { outcome, audited } = open(peer);
    expect(await outcome(owner)).toBe(expected);
    expect(await outcome(key)).toBe("allowed");
    expect(audited).toHaveLength(expected === "allowed" ? 0 : 1);
  });

  it("[A627] is accepted from an agent that the configuration names", async () => {
    const peer = { markers: ["claude"] };
    expect(await open(peer, { trustedAgents: ["claude-cli"] }).outcome(owner)).toBe("allowed");
    expect(await open(peer, { trustedAgents: ["codex"] }).outcome(owner)).toBe("CALLER_IS_AGENT");
  });

  it("[A628] is checked once for each connection of this machine, and audited once", async () => {
    const { outcome, audited, searches } = open({ markers: ["claude"] });
    const socket = socketFrom("::ffff:127.0.0.1");
    for (let index = 0; index < 3; index += 1) expect(await outcome(owner, socket)).toBe("CALLER_IS_AGENT");
    expect([searches(), audited]).toEqual([
      1,
      ["refusal agent claude-cli owner's credential from process 1: curl"],
    ]);
    expect(await outcome(owner, socketFrom("192.0.2.1", "192.0.2.9"))).toBe("allowed");
    expect(searches()).toBe(1);
    // The machine's own address leads here as loopback does.
    expect(await outcome(owner, socketFrom("192.0.2.9", "192.0.2.9"))).toBe("CALLER_IS_AGENT");
  });
});

describe("[A625] an app id", () => {
  it.each<[string, Peer | undefined, Partial<PeerCheckParts>, string]>([
    ["the host's user", { uid: 7 }, {}, "allowed"],
    ["another user", { uid: 8 }, {}, "APP_ID_NOT_ALLOWED"],
    ["nobody knows whom", undefined, {}, "APP_ID_NOT_ALLOWED"],
    ["nobody can know whom", { uid: 7 }, { finder: undefined }, "APP_ID_NOT_ALLOWED"],
    ["another user, where any will do", { uid: 8 }, { acceptsAnyUser: true }, "allowed"],
    ["nobody knows whom, where any will do", undefined, { acceptsAnyUser: true }, "allowed"],
  ])("[A625] of %s", async (_name, peer, parts, expected) => {
    expect(await open(peer, parts).outcome(app)).toBe(expected);
  });
});
