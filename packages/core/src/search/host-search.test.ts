// Searches of a host: whose sessions are found, and what of a turn is.
import { makeId, type Turn } from "@holdfast/ahp";
import { expect, onTestFinished, test, vi } from "vitest";
import type { SearchIndex } from "../ports.ts";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { say, update } from "../testing/script.ts";
import { HostSearch } from "./host-search.ts";

guardLeaks();
const newHost = useFakeHosts();

test("[A741] an app finds its own sessions only, the owner all", async () => {
  const host = newHost({ agents: { mine: { prompts: { "*": [say("The reply has a needle.")] } } } });
  const app = { kind: "app", appId: makeId("app", "one") } as const;
  const other = { kind: "app", appId: makeId("app", "two") } as const;
  const options = { agent_id: "mine", cwd: host.work, approvalPolicy: "ask" } as const;
  const { session_key } = await host.host.createSession(options, app);
  await host.host.chat(session_key, { message: "hello" }, app);
  const keys = (caller: typeof app | typeof other | typeof ME): string[] =>
    host.host.search.find({ q: "needle" }, caller).map((each) => each.session_key);
  expect(keys(app)).toEqual([session_key]);
  expect(keys(ME)).toEqual([session_key]);
  expect(keys(other)).toEqual([]);
  expect(host.host.search.find({ q: "needle", folder: host.work }, ME)).toMatchObject([
    { session_key, folder: host.work, agent_id: "mine" },
  ]);
  expect(host.host.search.find({ q: "needle", folder: "/elsewhere" }, ME)).toEqual([]);
});

test("[D740] messages, replies, tool calls, commands and edited paths are searched, reasoning is not", async () => {
  const edit = { type: "diff", path: "/work/edited-path.ts", oldText: "a", newText: "b" };
  const call = {
    toolCallId: "t",
    title: "title-of-call",
    kind: "edit",
    status: "completed",
    content: [edit],
  };
  const thought = { content: { type: "text", text: "hidden-thought" } };
  const steps = [update("agent_thought_chunk", thought), update("tool_call", call), say("visible-reply")];
  const host = newHost({ agents: { mine: { prompts: { "*": steps } } } });
  const session = await host.open();
  await session.turn("typed-message");
  const isFound = (q: string): boolean => host.host.search.find({ q }, ME).length > 0;
  const words = ["typed-message", "visible-reply", "title-of-call", "edited-path", "hidden-thought"];
  expect(words.map(isFound)).toEqual([true, true, true, true, false]);
});

test("[D743] turns that end while the host runs are indexed in the background, step by step", async () => {
  let waiting = 0;
  let steps = 0;
  const index: SearchIndex = {
    put: () => void (waiting += 2),
    step: () => {
      steps += 1;
      waiting = Math.max(0, waiting - 1);
      return waiting > 0;
    },
    find: () => [],
  };
  const onFault = (error: unknown): void => {
    throw error;
  };
  const search = new HostSearch(index, onFault);
  onTestFinished(() => search.close());
  await vi.waitFor(() => expect(steps).toBe(1));
  const turn = { id: makeId("turn", "1") } as Turn;
  search.put("chat:/1", turn);
  await vi.waitFor(() => expect(waiting).toBe(0));
  search.put("chat:/1", turn);
  await vi.waitFor(() => expect(waiting).toBe(0));
  expect(steps).toBe(5);
});
