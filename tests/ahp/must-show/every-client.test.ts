// Shows that clients of the seed, 0.6, 0.9 and 1.0, an ACP editor and an event stream have the same picture of one session.
import { expect, test } from "vitest";
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { ask, askPermission, say, update } from "../../../packages/core/src/testing/script.ts";
import { waiting } from "../../setup/waiting.ts";
import { useServedHosts } from "../served-host.ts";
import { AhpParticipant } from "./ahp-participant.ts";
import { EditorParticipant } from "./editor-participant.ts";
import type { Participant, Picture } from "./picture.ts";
import { StreamParticipant } from "./stream-participant.ts";

const serveHost = useServedHosts();

const session = "mine:/one";
const chat = defaultChatUri(makeId("session URI", session));
const terminalId = "$term.terminalId";
const line = 'printf "Name? "; read name; echo "Hello $name"';
const script = {
  prompts: {
    work: [
      askPermission("edit", { kind: "edit", title: "Edit a file" }),
      update("tool_call_update", { toolCallId: "edit", status: "completed" }),
      update("tool_call", { toolCallId: "run", title: "Run it", kind: "execute", status: "in_progress" }),
      ask("term", "terminal/create", {
        command: "sh",
        args: ["-c", line],
        _meta: { holdfast: { tty: true } },
      }),
      update("tool_call_update", { toolCallId: "run", content: [{ type: "terminal", terminalId }] }),
      ask("exit", "terminal/wait_for_exit", { terminalId }),
      update("tool_call_update", { toolCallId: "run", status: "completed" }),
      say("All "),
      say("done"),
    ],
    wait: [
      update("tool_call", { toolCallId: "look", title: "Look", kind: "search", status: "in_progress" }),
      say("Looking"),
      { do: "hang" },
    ],
  },
};
const expected: Picture = {
  turns: [
    {
      message: "work",
      reply: "All done",
      calls: { edit: "completed", run: "completed" },
      end: "complete",
    },
    { message: "wait", reply: "Looking", calls: { look: "failed" }, end: "cancelled" },
  ],
  terminal: ["Name? Ada", "Hello Ada"],
};

const names = ["0.1.0", "0.6.0", "0.9.0", "1.0.0", "editor", "stream"] as const;
type Name = (typeof names)[number];

interface Roles {
  readonly starts: Name;
  readonly approves: Name;
  readonly takesOver: Name;
  readonly cancels: Name;
}

const casts: readonly Roles[] = [
  { starts: "1.0.0", approves: "0.1.0", takesOver: "0.6.0", cancels: "0.9.0" },
  { starts: "editor", approves: "stream", takesOver: "0.1.0", cancels: "1.0.0" },
  { starts: "0.1.0", approves: "editor", takesOver: "stream", cancels: "0.6.0" },
  { starts: "stream", approves: "0.9.0", takesOver: "1.0.0", cancels: "editor" },
  { starts: "0.6.0", approves: "1.0.0", takesOver: "0.9.0", cancels: "stream" },
];

test.each(casts)(
  "[E810] six clients have the same picture: $starts starts, $approves approves, $takesOver takes over, $cancels cancels",
  async ({ starts, approves, takesOver, cancels }) => {
    const host = await serveHost({ script });
    const owner = await host.client({ clientId: "owner" });
    const workingDirectories = [`file://${host.work}`];
    await owner.request("createSession", { channel: session, provider: "mine", workingDirectories });
    const key = String(host.host.ahp.hub.state(session, "session")?.key);
    const ahp = new Map<Name, AhpParticipant>();
    for (const version of ["0.1.0", "0.6.0", "0.9.0", "1.0.0"] as const) {
      ahp.set(version, await AhpParticipant.join(host, version, { session, chat }));
    }
    const editor = await EditorParticipant.join(host, key);
    const stream = new StreamParticipant(host, key);
    const everybody = new Map<Name, Participant>([...ahp, ["editor", editor], ["stream", stream]]);
    const of = (name: Name): Participant => everybody.get(name) ?? editor;
    /** A turn, followed by the stream from its beginning to its end. */
    const runTurn = async (text: string, act: () => Promise<void>): Promise<void> => {
      const started = of(starts).start(text);
      await owner.subscribe(chat);
      await expect.poll(() => host.host.ahp.hub.state(chat, "chat")?.activeTurn?.message.text).toBe(text);
      const followed = stream.follow();
      await act();
      await Promise.all([started, followed]);
    };

    await runTurn("work", async () => {
      await of(approves).approve();
      await Promise.all([...ahp.values()].map((each) => each.followTerminal()));
      await of(takesOver).takeOver("Name?", "Ada");
    });
    await runTurn("wait", () => of(cancels).cancel("Looking"));
    for (const name of names) {
      await expect.poll(() => ({ name, ...of(name).picture() }), waiting).toEqual({ name, ...expected });
    }
    expect(host.faults).toEqual([]);
  },
);
