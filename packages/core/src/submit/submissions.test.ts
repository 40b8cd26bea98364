// One path: every submission carries its author's origin, or says why it is rejected.
import { ROOT_URI, makeId } from "@holdfast/ahp";
import { expect, test, vi } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";

guardLeaks();
const newHost = useFakeHosts();
const clientId = makeId("client", "ada");
const origin = { clientId, clientSeq: 7 };
const by = { actor: { kind: "client", clientId }, origin } as const;
const title = (text: string) => ({ type: "session/titleChanged", title: text }) as const;

test("[E91] the action that a client asked for is its own, and no other", async () => {
  const { host, open } = await prepare();
  const { uri } = await open();
  const { cursor } = host.hub.subscribe(uri);
  expect(host.submit(uri, title("one"), by)).toMatchObject({
    outcome: "accepted",
    entry: { action: { title: "one" }, origin },
  });
  host.hub.dispatch(uri, title("two"));
  // An action that changes nothing leaves no entry, and no origin for the next one.
  expect(host.submit(uri, title("two"), by)).toEqual({ outcome: "accepted" });
  host.hub.dispatch(uri, title("three"));
  await host.hub.settled();
  const reading = cursor.read();
  const entries = reading.kind === "entries" ? reading.entries : [];
  const titles = entries.filter(({ action }) => action.type === "session/titleChanged");
  expect(titles.map((each) => each.origin)).toEqual([origin, undefined, undefined]);
});

test("[E20] an action that only the host sends is rejected on every kind of channel, and an unknown channel has its own error", async () => {
  const { host, open } = await prepare();
  const session = await open();
  const rejected = { outcome: "rejected", code: "INVALID_REQUEST" };
  expect(host.submit(ROOT_URI, { type: "root/agentsChanged", agents: [] }, by)).toMatchObject(rejected);
  expect(host.submit(session.uri, { type: "session/ready", at: "" }, by)).toMatchObject(rejected);
  expect(host.submit(session.chat, { type: "chat/activityChanged" }, by)).toMatchObject(rejected);
  expect(host.submit(session.uri, { type: "terminal/kill" }, by)).toMatchObject(rejected);
  expect(host.submit("ahp-session:/none", title("x"), by)).toEqual({ outcome: "unknown-channel" });
});

test("[R19] a title that is too long is rejected, as over HTTP", async () => {
  const { host, open } = await prepare();
  const { uri } = await open();
  expect(host.submit(uri, title("x".repeat(200)), by)).toMatchObject({ outcome: "accepted" });
  expect(host.submit(uri, title("x".repeat(201)), by)).toMatchObject({ outcome: "rejected" });
});

test("[N831] a message, a queued one and a draft have at most 4 MiB of text", async () => {
  const { host, open } = await prepare();
  const { chat } = await open();
  const message = (text: string) => ({ text, origin: { kind: "user" } }) as const;
  const pending = (text: string) => ({ id: makeId("pending message", "p"), message: message(text) });
  const most = 4 * 1024 * 1024;
  const draft = { type: "chat/draftChanged", draft: message("é".repeat(most / 2)) } as const;
  expect(host.submit(chat, draft, by)).toMatchObject({ outcome: "accepted" });
  const long = `${draft.draft.text}x`;
  const start = { type: "chat/turnStarted", turnId: makeId("turn", "t"), startedAt: "" } as const;
  const queue = { type: "chat/pendingMessageSet", kind: "queued" } as const;
  const reason = `The message has ${most + 1} bytes; the limit is ${most}. Attach a file instead.`;
  for (const submitted of [
    { ...draft, draft: message(long) },
    { ...start, message: message(long) },
    { ...queue, pending: pending(long) },
    { type: "chat/send", request: { message: long }, isInteractive: true } as const,
  ]) {
    const submission = await host.submit(chat, submitted, by);
    expect(submission).toMatchObject({ outcome: "rejected", code: "BODY_TOO_LARGE", reason });
  }
});

test("[E21] a turn that has ended, or that waits, is accepted again while another runs, and starts nothing", async () => {
  const fake = newHost({ agents: { mine: { prompts: { long: [{ do: "hang" }] } } } });
  const session = await fake.open({ approvalPolicy: "approve-all" });
  const chat = session.state.defaultChat ?? "";
  const start = (name: string) => {
    const message = { text: name, origin: { kind: "user" } } as const;
    const turnId = makeId("turn", name);
    return fake.host.submit(chat, { type: "chat/turnStarted", turnId, startedAt: "", message }, by);
  };
  await start("first");
  await vi.waitFor(() => expect(session.chatState.turns).toHaveLength(1));
  await start("long");
  const message = { text: "next", origin: { kind: "user" } } as const;
  const pending = { id: makeId("pending message", "next"), message };
  await fake.host.submit(chat, { type: "chat/pendingMessageSet", kind: "queued", pending }, by);
  expect(start("other")).toMatchObject({ outcome: "rejected", code: "ACP_TURN_ACTIVE" });
  for (const name of ["first", "long", "next"]) expect(start(name)).toEqual({ outcome: "accepted" });
  await session.cancel();
  await vi.waitFor(() => expect(session.chatState.turns).toHaveLength(3));
  expect(session.chatState.turns.map(({ message: { text } }) => text)).toEqual(["first", "long", "next"]);
});

test("[R11] an app neither changes nor deletes what it may not see", async () => {
  const { host, open } = await prepare();
  const { uri, chat } = await open();
  const app = { actor: { kind: "app", appId: makeId("app", "other") } } as const;
  for (const channel of [uri, chat]) {
    expect(host.submit(channel, title("x"), app)).toEqual({ outcome: "unknown-channel" });
  }
  expect(host.submit(uri, { type: "session/delete" }, app)).toEqual({ outcome: "unknown-channel" });
  const config = { type: "root/configChanged", config: {} } as const;
  expect(host.submit(ROOT_URI, config, app)).toMatchObject({ code: "PERMISSION_REQUIRED" });
  const shell = { type: "root/createTerminal", shell: {} } as const;
  expect(await host.submit(ROOT_URI, shell, app)).toMatchObject({
    outcome: "rejected",
    code: "PERMISSION_REQUIRED",
  });
});

async function prepare() {
  const fake = newHost();
  return {
    host: fake.host,
    open: async () => {
      const { state } = await fake.open();
      return { uri: state.resource, chat: state.defaultChat ?? "" };
    },
  };
}
