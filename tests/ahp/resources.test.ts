// Shows files and folders over AHP: read, listed, written, moved, watched, inside a session's folder and, after asking, outside.
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type ServedHost, useServedHosts } from "./served-host.ts";
import type { Heard } from "./heard.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();

interface Work {
  readonly host: ServedHost;
  readonly client: WireClient;
  /** A path in the session's folder, and its URI. */
  readonly at: (...names: string[]) => string;
  readonly uri: (...names: string[]) => string;
  readonly outside: string;
}

async function work(version = "1.0.0"): Promise<Work> {
  const host = await serveHost();
  const client = await host.client({ clientId: "ada", version, subscriptions: ["ahp-root://"] });
  const workingDirectories = [pathToFileURL(host.work).href];
  await client.request("createSession", { channel: "mine:/one", provider: "mine", workingDirectories });
  const outside = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-outside-")));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  const at = (...names: string[]): string => path.join(host.work, ...names);
  return { host, client, at, uri: (...names) => pathToFileURL(at(...names)).href, outside };
}

async function failure(client: WireClient, method: string, params: object): Promise<Heard["error"]> {
  return (await client.ask(method, params)).error;
}

test("[E767] a folder is listed in order of names, with links as what they lead to", async () => {
  const { client, at, uri } = await work();
  mkdirSync(at("sub"));
  writeFileSync(at("b.txt"), "b");
  symlinkSync(at("sub"), at("link"));
  symlinkSync(at("nothing"), at("dangling"));
  expect(await client.request("resourceList", { uri: uri() })).toEqual({
    entries: [
      { name: "b.txt", type: "file" },
      { name: "dangling", type: "file" },
      { name: "link", type: "directory" },
      { name: "sub", type: "directory" },
    ],
  });
  expect(await failure(client, "resourceList", { uri: uri("none") })).toMatchObject({ code: -32008 });
  expect(await failure(client, "resourceList", { uri: uri("b.txt") })).toMatchObject({ code: -32008 });
});

test("[E767] a resource is described, also a link itself, and a missing one is -32008 in every version", async () => {
  for (const version of ["1.0.0", "0.6.0"]) {
    const { client, at, uri } = await work(version);
    writeFileSync(at("a"), "12345");
    symlinkSync(at("a"), at("link"));
    expect(await client.request("resourceResolve", { uri: uri("link") })).toMatchObject({
      uri: uri("a"),
      type: "file",
      size: 5,
      mtime: statSync(at("a"), { bigint: true }).mtime.toISOString(),
    });
    const itself = await client.request("resourceResolve", { uri: uri("link"), followSymlinks: false });
    expect(itself).toMatchObject({ uri: uri("link"), type: "symlink" });
    expect(await failure(client, "resourceResolve", { uri: uri("none") })).toMatchObject({ code: -32008 });
  }
});

test("[E768] a file is written in each way, and keeps its inode", async () => {
  const { client, at, uri } = await work();
  const write = (params: object): Promise<unknown> =>
    client.request("resourceWrite", { uri: uri("a"), encoding: "utf-8", ...params });
  expect(await write({ data: "hello world" })).toEqual({});
  const { ino } = statSync(at("a"));
  const content = async (params: object): Promise<string> => {
    await write(params);
    return readFileSync(at("a"), "utf8");
  };
  expect(await content({ data: "!", mode: "append" })).toBe("hello world!");
  expect(await content({ data: ",", mode: "append", position: 7 })).toBe("hello, world!");
  expect(await content({ data: "> ", mode: "insert" })).toBe("> hello, world!");
  expect(await content({ data: "you", position: 9 })).toBe("> hello, you");
  expect(await content({ data: "AP8=", encoding: "base64", mode: "truncate" })).toBe("\0\uFFFD");
  expect(statSync(at("a")).ino).toBe(ino);
  expect(await client.request("resourceRead", { uri: uri("a") })).toEqual({
    data: "AP8=",
    encoding: "base64",
  });
});

test("[E768] appends that are sent at once are all there", async () => {
  const { client, at, uri } = await work();
  const letters = "abcdefghijklmnopqrstuvwxyz".split("");
  await Promise.all(
    letters.map((data) =>
      client.request("resourceWrite", { uri: uri("log"), data, encoding: "utf-8", mode: "append" }),
    ),
  );
  expect(readFileSync(at("log"), "utf8").split("").toSorted()).toEqual(letters);
});

test("[E768] a write that would lose somebody's work is refused with AHP's numbers", async () => {
  const { client, at, uri } = await work();
  const write = { uri: uri("a"), data: "mine", encoding: "utf-8" };
  writeFileSync(at("a"), "one");
  const { etag } = (await client.request("resourceResolve", { uri: uri("a") })) as { etag?: string };
  expect(await failure(client, "resourceWrite", { ...write, createOnly: true })).toMatchObject({
    code: -32010,
    data: { code: "FILE_EXISTS" },
  });
  writeFileSync(at("a"), "theirs");
  expect(await failure(client, "resourceWrite", { ...write, ifMatch: etag })).toMatchObject({
    code: -32011,
    data: { code: "FILE_CHANGED" },
  });
  expect(readFileSync(at("a"), "utf8")).toBe("theirs");
  expect(await failure(client, "resourceWrite", { ...write, uri: uri("none", "a") })).toMatchObject({
    code: -32008,
  });
  expect(await failure(client, "resourceWrite", { ...write, encoding: "base64", data: "?" })).toMatchObject({
    code: -32602,
  });
});

test("[E768] folders are made, and things copied, moved and deleted", async () => {
  const { client, at, uri, outside } = await work();
  writeFileSync(path.join(outside, "kept"), "kept");
  await client.request("resourceMkdir", { uri: uri("x", "y") });
  await client.request("resourceMkdir", { uri: uri("x", "y") });
  writeFileSync(at("x", "y", "a"), "a");
  symlinkSync("a", at("x", "y", "link"));
  symlinkSync(outside, at("x", "out"));
  expect(await failure(client, "resourceMkdir", { uri: uri("x", "y", "a") })).toMatchObject({ code: -32010 });
  await client.request("resourceCopy", { source: uri("x"), destination: uri("z") });
  expect(readFileSync(at("z", "y", "link"), "utf8")).toBe("a");
  const again = { source: uri("x"), destination: uri("z") };
  expect(await failure(client, "resourceCopy", again)).toMatchObject({ code: -32010 });
  const within = { source: uri("x"), destination: uri("x", "y", "x") };
  expect(await failure(client, "resourceCopy", within)).toMatchObject({ code: -32602 });
  writeFileSync(at("b"), "b");
  const onto = { source: uri("b"), destination: uri("x", "y", "a") };
  expect(await failure(client, "resourceMove", { ...onto, failIfExists: true })).toMatchObject({
    code: -32010,
  });
  await client.request("resourceMove", onto);
  expect([existsSync(at("b")), readFileSync(at("x", "y", "a"), "utf8")]).toEqual([false, "b"]);
  expect(await failure(client, "resourceDelete", { uri: uri("x") })).toMatchObject({ code: -32010 });
  await client.request("resourceDelete", { uri: uri("x"), recursive: true });
  expect([existsSync(at("x")), existsSync(at("z"))]).toEqual([false, true]);
  expect(readFileSync(path.join(outside, "kept"), "utf8")).toBe("kept");
  expect(await failure(client, "resourceDelete", { uri: uri(), recursive: true })).toMatchObject({
    code: -32009,
  });
});

test("[E769] what lies outside is refused with the request that allows it, and then reached by that client alone", async () => {
  const { host, client, outside, at, uri } = await work();
  const file = pathToFileURL(path.join(outside, "a")).href;
  writeFileSync(path.join(outside, "a"), "out");
  symlinkSync(outside, at("way-out"));
  for (const each of [file, uri("way-out", "a")]) {
    expect(await failure(client, "resourceRead", { uri: each })).toMatchObject({
      code: -32009,
      data: { code: "PERMISSION_DENIED", request: { channel: "ahp-root://", uri: each, read: true } },
    });
  }
  const folder = pathToFileURL(outside).href;
  expect(await client.request("resourceRequest", { uri: folder, read: true })).toEqual({});
  expect(await client.request("resourceRead", { uri: file })).toMatchObject({ data: "out" });
  const write = { uri: file, data: "x", encoding: "utf-8" };
  expect(await failure(client, "resourceWrite", write)).toMatchObject({
    code: -32009,
    data: { request: { uri: file, write: true } },
  });
  const other = await host.client({ clientId: "grace" });
  expect(await failure(other, "resourceRead", { uri: file })).toMatchObject({ code: -32009 });
  await client.request("resourceRequest", { uri: file, write: true });
  await client.request("resourceWrite", write);
  expect(readFileSync(path.join(outside, "a"), "utf8")).toBe("x");
  expect(await failure(client, "resourceRequest", { uri: folder })).toMatchObject({ code: -32602 });
  expect(await failure(client, "resourceRead", { uri: "x-other:/a" })).toMatchObject({ code: -32008 });
});

test("[E769] a file with a further name is not written without a request", async () => {
  const { client, outside, at, uri } = await work();
  writeFileSync(path.join(outside, "a"), "untouched");
  linkSync(path.join(outside, "a"), at("twin"));
  const write = { uri: uri("twin"), data: "x", encoding: "utf-8" };
  expect(await failure(client, "resourceWrite", write)).toMatchObject({ code: -32009 });
  expect(readFileSync(path.join(outside, "a"), "utf8")).toBe("untouched");
});

test("[E769] what is read, written and granted is on record", async () => {
  const { host, client, at, uri, outside } = await work();
  writeFileSync(at("a"), "a");
  await client.request("resourceRead", { uri: uri("a") });
  await client.request("resourceWrite", { uri: uri("b"), data: "b", encoding: "utf-8" });
  await client.request("resourceRequest", { uri: pathToFileURL(outside).href, read: true });
  const by = "client ada";
  expect(host.host.audit.recent.filter((entry) => entry.by === by)).toMatchObject([
    { what: "file-read", subject: at("a"), outcome: "done" },
    { what: "file-write", subject: at("b"), outcome: "done" },
    { what: "approval", subject: outside, outcome: "read granted" },
  ]);
});

test("[E770] a watch reports what was added, changed and deleted, without what is excluded", async () => {
  const { client, at, uri } = await work();
  mkdirSync(at("node_modules"));
  writeFileSync(at("old"), "1");
  const excludes = { items: ["**/node_modules/**"] };
  const created = await client.request("createResourceWatch", { uri: uri(), recursive: true, excludes });
  const { channel = "" } = created as { channel?: string };
  expect(channel).toMatch(/^ahp-resource-watch:\//);
  expect((await client.subscribe(channel)).state).toEqual({ root: uri(), recursive: true, excludes });
  writeFileSync(at("node_modules", "x"), "x");
  mkdirSync(at("sub"));
  const seen = (name: string, type: string): Promise<unknown> =>
    client.action("resourceWatch/changed", ({ action }) =>
      JSON.stringify(action).includes(JSON.stringify({ uri: uri(...name.split("/")), type })),
    );
  await seen("sub", "added");
  writeFileSync(at("sub", "new"), "1");
  await seen("sub/new", "added");
  writeFileSync(at("old"), "2");
  await seen("old", "updated");
  rmSync(at("sub"), { recursive: true });
  await seen("sub", "deleted");
  expect(JSON.stringify(client.actions)).not.toContain("node_modules/x");
});

test("[E770] a watch ends with its last subscriber, and is bounded", async () => {
  const { host, client, at, uri } = await work();
  const create = async (): Promise<string> => {
    const { channel = "" } = (await client.request("createResourceWatch", { uri: uri() })) as {
      channel?: string;
    };
    return channel;
  };
  const channel = await create();
  const other = await host.client({ clientId: "grace" });
  await client.subscribe(channel);
  await other.subscribe(channel);
  client.send({ jsonrpc: "2.0", method: "unsubscribe", params: { channel } });
  writeFileSync(at("a"), "1");
  await other.action("resourceWatch/changed");
  other.send({ jsonrpc: "2.0", method: "unsubscribe", params: { channel } });
  expect(await failure(other, "subscribe", { channel })).toMatchObject({ code: -32001 });
  const channels: string[] = [];
  for (let index = 0; index < 64; index += 1) channels.push(await create());
  expect(await failure(client, "createResourceWatch", { uri: uri() })).toMatchObject({ code: -32029 });
  await client.subscribe(channels[0] ?? "");
  client.close();
  await client.closed;
  await expect
    .poll(() => failure(other, "subscribe", { channel: channels[0] }))
    .toMatchObject({ code: -32001 });
});

test("[E770] a single file is watched, also when another takes its place", async () => {
  const { client, at, uri, outside } = await work();
  writeFileSync(at("a"), "1");
  const { channel = "" } = (await client.request("createResourceWatch", { uri: uri("a") })) as {
    channel?: string;
  };
  await client.subscribe(channel);
  writeFileSync(at("b"), "1");
  rmSync(at("a"));
  await client.action("resourceWatch/changed", ({ action }) => JSON.stringify(action).includes("deleted"));
  writeFileSync(at("a"), "2");
  await client.action("resourceWatch/changed", ({ action }) => JSON.stringify(action).includes("added"));
  expect(JSON.stringify(client.actions)).not.toContain(uri("b"));
  const refused = await failure(client, "createResourceWatch", { uri: pathToFileURL(outside).href });
  expect(refused).toMatchObject({ code: -32009, data: { request: { read: true } } });
});

test("[E771] the values of a session's settings are completed", async () => {
  const { client } = await work();
  expect(
    await client.request("sessionConfigCompletions", { property: "approvalPolicy", query: "deny" }),
  ).toEqual({ items: [{ value: "deny-all", label: "deny-all" }] });
  expect(await failure(client, "sessionConfigCompletions", { property: "none" })).toMatchObject({
    code: -32602,
  });
});
