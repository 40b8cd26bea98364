// The sentence for a client whose decision came second.
import { type Actor, makeId } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { decisionWords } from "./decision-words.ts";

const clientId = makeId("client", "one");

it.each<readonly [Actor, string]>([
  [{ kind: "client", clientId }, "Already denied in another window (Firefox on Linux). "],
  [{ kind: "client", clientId: makeId("client", "two") }, "Already denied by another client. "],
  [{ kind: "app", appId: makeId("app", "mailer") }, "Already denied by the app mailer. "],
  [{ kind: "policy", policy: "deny-all" }, "Already denied by the policy deny-all. "],
  [{ kind: "host" }, "Already denied by the host. "],
  [{ kind: "expiry" }, "Nobody decided in time, so the request was denied. "],
])("[Z899] names who decided: %j", (by, words) => {
  const clients = [{ clientId, displayName: "Firefox on Linux" }];
  expect(decisionWords({ outcome: "denied", by }, clients)).toContain(words);
});
