// Sessions that nobody has looked at since their last turn.
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { uriOfKey } from "../testing/session-uri.ts";

guardLeaks();
const newHost = useFakeHosts();

test("[N802] the end of a turn makes its session unread, until a client marks it as read", async () => {
  const host = newHost({ agents: { mine: { prompts: { "*": [] } } } });
  const { key } = await host.open({ approvalPolicy: "approve-all" });
  const uri = uriOfKey(key);
  const isRead = (): boolean | undefined => host.host.hub.state(uri, "session")?.isRead;
  expect(isRead()).toBe(true);
  await host.host.chat(key, { message: "one" }, ME);
  expect(isRead()).toBe(false);
  host.host.hub.dispatch(uri, { type: "session/isReadChanged", isRead: true });
  expect(isRead()).toBe(true);
  await host.host.chat(key, { message: "two" }, ME);
  expect(isRead()).toBe(false);
});
