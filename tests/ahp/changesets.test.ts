// Shows changesets over AHP: listed, read, kept up to date, reverted, staged and reviewed, in a real repository.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { FIXTURES_MISSING } from "../../packages/ahp/src/testing/fixtures.ts";
import { SchemaFile, actionName } from "../../packages/ahp/src/testing/wire/schema.ts";
import type { HeardEnvelope, HeardFile } from "./heard.ts";
import { type ServedHost, useServedHosts } from "./served-host.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();
const session = "mine:/one";
const chat = defaultChatUri(makeId("session URI", session));
const changeset = `${session}/changeset/session`;

function run(name: string, command: string): object[] {
  const terminalId = `$${name}.terminalId`;
  return [
    { do: "ask", as: name, method: "terminal/create", params: { command } },
    { do: "ask", as: `${name}Exit`, method: "terminal/wait_for_exit", params: { terminalId } },
  ];
}

const script = {
  prompts: {
    edit: run("edit", "echo new > new.txt; sed -i s/two/2/ kept.txt"),
    again: run("again", "echo more >> new.txt"),
    report: [
      {
        do: "update",
        update: {
          sessionUpdate: "tool_call",
          toolCallId: "c1",
          title: "Edit",
          kind: "edit",
          status: "completed",
          content: [{ type: "diff", path: "kept.txt", oldText: "one\n", newText: "three\n" }],
        },
      },
    ],
  },
};

function git(cwd: string, ...args: string[]): string {
  const person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
  return execFileSync("git", [...person, ...args], { cwd, encoding: "utf8" });
}

interface Work {
  readonly host: ServedHost;
  readonly client: WireClient;
  readonly at: (name: string) => string;
  readonly uri: (name: string) => string;
}

async function work(version = "1.0.0", { isRepository = true } = {}): Promise<Work> {
  const host = await serveHost({ script });
  const at = (name: string): string => path.join(host.work, name);
  writeFileSync(at("kept.txt"), "one\ntwo\n");
  if (isRepository) {
    git(host.work, "init", "-q", "-b", "main");
    git(host.work, "add", "-A");
    git(host.work, "commit", "-qm", "first");
  }
  const client = await host.client({ clientId: "ada", version });
  await client.request("createSession", {
    channel: session,
    provider: "mine",
    workingDirectory: pathToFileURL(host.work).href,
    config: { approvalPolicy: "approve-all", isolation: "none" },
  });
  return { host, client, at, uri: (name) => pathToFileURL(at(name)).href };
}

let turns = 0;
/** Runs a turn; resolves with its id and the content that a changeset has then. */
async function turn(client: WireClient, text: string): Promise<{ id: string; content: HeardEnvelope }> {
  turns += 1;
  const id = `turn-${turns}`;
  const before = client.heard.length;
  const message = { text, origin: { kind: "user" } };
  client.dispatch(
    { type: "chat/turnStarted", turnId: id, startedAt: new Date().toISOString(), message },
    chat,
  );
  return { id, content: await contentAfter(client, before) };
}

/** The first content of a changeset that is heard after a message. */
function contentAfter(client: WireClient, before: number): Promise<HeardEnvelope> {
  const isLater = ({ serverSeq }: HeardEnvelope): boolean =>
    client.heard.findIndex((heard) => heard.params?.serverSeq === serverSeq) >= before;
  return client.action("changeset/contentChanged", isLater);
}

const named = (files: readonly HeardFile[] = []): string[] => files.map(({ id }) => path.basename(id));

async function read(client: WireClient, uri: string | undefined): Promise<string | undefined> {
  return (await client.request("resourceRead", { uri })).data;
}

test("[E780] the state of a session lists its changesets in every version but 0.1", async () => {
  const { host, client } = await work();
  const capabilities = { review: {} };
  expect((await client.subscribe(session)).state).toMatchObject({
    changesets: [
      { uriTemplate: changeset, changeKind: "session", capabilities },
      { uriTemplate: `${session}/changeset/turn/{turnId}`, changeKind: "turn", capabilities },
    ],
  });
  const plain = await host.client({ clientId: "plain", version: "0.5.1" });
  const { state } = await plain.subscribe(session);
  expect(state).toMatchObject({ changesets: [{ changeKind: "session" }, { changeKind: "turn" }] });
  expect(JSON.stringify(state)).not.toContain('"review"');
  const seed = await host.client({ clientId: "seed", version: 1 });
  expect((await seed.ask("subscribe", { resource: changeset })).error?.code).toBe(-32001);
  const invoked = await seed.ask("invokeChangesetOperation", { channel: changeset, operationId: "revert" });
  expect(invoked.error?.code).toBe(-32601);
});

test("[E781] [E782] a changeset has the files of a session or a turn with both sides, and follows the turns", async () => {
  const { client, uri } = await work();
  const empty = await client.subscribe(changeset);
  expect(empty.state).toEqual({ status: "ready", files: [] });
  const { id, content } = await turn(client, "edit");
  const files = content.action.files ?? [];
  expect(named(files)).toEqual(["kept.txt", "new.txt"]);
  expect(content).toMatchObject({
    channel: changeset,
    action: { operations: [{ id: "revert" }, { id: "stage" }] },
  });
  const [kept, added] = files;
  expect(kept).toMatchObject({
    id: uri("kept.txt"),
    reviewed: false,
    edit: {
      after: { uri: uri("kept.txt"), content: { uri: uri("kept.txt") } },
      diff: { added: 1, removed: 1 },
    },
  });
  expect(await read(client, kept?.edit.before?.content.uri)).toBe("one\ntwo\n");
  expect(added?.edit.before).toBeUndefined();
  await turn(client, "again");
  const ofTurn = await client.subscribe(`${session}/changeset/turn/${id}`);
  expect(named(ofTurn.state.files)).toEqual(["kept.txt", "new.txt"]);
  expect(ofTurn.state.operations?.map((each) => each.id)).toEqual(["revert"]);
  expect(await read(client, ofTurn.state.files?.[1]?.edit.after?.content.uri)).toBe("new\n");
  const unknown = await client.ask("subscribe", { channel: `${session}/changeset/turn/none` });
  expect(unknown.error?.code).toBe(-32008);
  const closed = await client.ask("subscribe", { channel: "mine:/none/changeset/session" });
  expect(closed.error?.code).toBe(-32001);
});

test("[E783] an operation reverts, stages or unstages a file or all, and others see it", async () => {
  const { client, host, at, uri } = await work();
  const other = await host.client({ clientId: "bea", version: "0.6.0" });
  await client.subscribe(changeset);
  await other.subscribe(changeset);
  await turn(client, "edit");
  const invoke = (operationId: string, resource?: string): ReturnType<WireClient["ask"]> =>
    client.ask("invokeChangesetOperation", {
      channel: changeset,
      operationId,
      ...(resource !== undefined && { target: { kind: "resource", resource } }),
    });
  expect((await invoke("stage")).result).toEqual({});
  expect(git(host.work, "diff", "--cached", "--name-only")).toBe("kept.txt\nnew.txt\n");
  expect((await invoke("unstage", uri("new.txt"))).result).toEqual({});
  expect(git(host.work, "diff", "--cached", "--name-only")).toBe("kept.txt\n");
  expect((await invoke("revert", uri("new.txt"))).result).toEqual({});
  expect(existsSync(at("new.txt"))).toBe(false);
  await other.action("changeset/contentChanged", ({ action }) => named(action.files).join() === "kept.txt");
  const statuses = other.actions.filter(({ action }) => action.type === "changeset/operationStatusChanged");
  expect(statuses.slice(-2).map(({ action }) => action.status)).toEqual(["running", "idle"]);
  expect((await invoke("revert", uri("new.txt"))).error?.code).toBe(-32008);
  expect((await invoke("commit")).error?.code).toBe(-32602);
  writeFileSync(at("kept.txt"), "one\ntwo\n");
  expect((await invoke("revert")).error?.code).toBe(-32602);
  const audited = host.host.readAudit({}, { kind: "owner" }).map(({ what }) => what);
  expect(audited).toEqual(expect.arrayContaining(["stage", "unstage", "revert"]));
});

test("[E784] a review is stored, ends with the content that was reviewed, and survives a reconnect", async () => {
  const { client, host, uri } = await work();
  const other = await host.client({ clientId: "bea", version: "0.6.0" });
  await client.subscribe(changeset);
  await turn(client, "edit");
  await other.subscribe(changeset);
  const seen = other.heard.length;
  const files = [uri("new.txt"), uri("kept.txt"), uri("none.txt")];
  const clientSeq = client.dispatch(
    { type: "changeset/filesReviewChanged", files, reviewed: true },
    changeset,
  );
  const echo = await client.action("changeset/filesReviewChanged");
  expect(echo).toMatchObject({ channel: changeset, origin: { clientId: "ada", clientSeq } });
  expect(echo.rejectionReason).toBeUndefined();
  const reviewedBy = (heard: HeardEnvelope): (boolean | undefined)[] =>
    (heard.action.files ?? []).map(({ reviewed }) => reviewed);
  expect(reviewedBy(await contentAfter(other, seen))).toEqual([true, true]);
  const { content } = await turn(client, "again");
  expect(reviewedBy(content)).toEqual([true, false]);
  client.close();
  await client.closed;
  const back = await host.socket();
  const resumed = await back.request("reconnect", {
    clientId: "ada",
    lastSeenServerSeq: content.serverSeq,
    subscriptions: [changeset],
  });
  expect(resumed).toMatchObject({
    type: "snapshot",
    snapshots: [{ resource: changeset, state: { files: [{ reviewed: true }, { reviewed: false }] } }],
  });
  const old = await host.client({ clientId: "old", version: "0.5.2" });
  old.dispatch({ type: "changeset/filesReviewChanged", files, reviewed: false }, changeset);
  expect((await old.action("changeset/filesReviewChanged")).rejectionReason).toContain("cannot dispatch");
});

test("[E781] outside of a repository a changeset has what the agent reported, and offers nothing", async () => {
  const { client, uri } = await work("1.0.0", { isRepository: false });
  const { state } = await client.subscribe(changeset);
  expect(state).toEqual({ status: "ready", files: [] });
  const { content } = await turn(client, "report");
  const [file] = content.action.files ?? [];
  expect(content.action).toMatchObject({ files: [{ id: uri("kept.txt") }], operations: [] });
  expect(await read(client, file?.edit.before?.content.uri)).toBe("one\n");
  expect(await read(client, file?.edit.after?.content.uri)).toBe("three\n");
});

const states = SchemaFile.read("0.6.0", "state");
const actions = SchemaFile.read("0.6.0", "actions");

test.skipIf(states === undefined)(
  `[E785] changesets fit the schemas of 0.6 (else: ${FIXTURES_MISSING})`,
  async () => {
    const { client, uri } = await work("0.6.0");
    const { state } = await client.subscribe(session);
    expect(states?.problems("SessionState", state)).toEqual([]);
    await client.subscribe(changeset);
    await turn(client, "edit");
    await client.request("invokeChangesetOperation", { channel: changeset, operationId: "stage" });
    client.dispatch(
      { type: "changeset/filesReviewChanged", files: [uri("new.txt")], reviewed: true },
      changeset,
    );
    await client.action("changeset/filesReviewChanged");
    const now = await client.subscribe(changeset);
    expect(states?.problems("ChangesetState", now.state)).toEqual([]);
    const heard = client.actions.filter(({ channel }) => channel === changeset);
    expect(heard.length).toBeGreaterThan(3);
    for (const { action } of heard) expect(actions?.problems(actionName(action.type), action)).toEqual([]);
  },
);
