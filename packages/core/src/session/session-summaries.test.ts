// The lists of chats and sessions while something runs.
import { ROOT_URI } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHost, useFakeHosts } from "../testing/fake-host.ts";
import { ask, askPermission, say, type Step } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

/** The root's summary of the only session. */
function listed({ host }: FakeHost): unknown {
  return host.hub.state(ROOT_URI, "root")?.sessions[0];
}

test.each<[string, string, Step]>([
  ["permission", "no", askPermission("rm", { kind: "execute" })],
  ["input", "decline", ask("form", "elicitation/create", { mode: "form", message: "Which?" })],
])(
  "[R20] while a turn waits for %s, the chat's and the session's summaries say so",
  async (waitingFor, answer, step) => {
    const host = newHost({ agents: { mine: { prompts: { "*": [say("Well"), step] } } } });
    const session = await host.open();
    const turn = session.stream("go");
    await turn.until(({ type }) => type === "chat/toolCallReady" || type === "chat/inputRequested");
    expect(listed(host)).toMatchObject({ inputNeededCount: 1, phase: { status: "busy", waitingFor } });
    expect(session.state.chats).toMatchObject([{ phase: { waitingFor } }]);
    const [{ id } = { id: "" }] = session.state.inputNeeded;
    expect(session.resolve(id, answer)).toEqual({ resolved: true });
    expect(listed(host)).toMatchObject({ inputNeededCount: 0 });
    await turn.ended;
  },
);
