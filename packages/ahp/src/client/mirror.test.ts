// Shows that a mirror holds what the host confirmed, with the client's own actions on top, in whatever order answers come.
import fc from "fast-check";
import { expect, test } from "vitest";
import { channelModels } from "../model/channel.ts";
import type { TerminalAction } from "../model/terminal/terminal.ts";
import { newStates } from "../testing/states.ts";
import { Mirror } from "./mirror.ts";

const model = channelModels.terminal;
const title = (text: string): TerminalAction => ({
  type: "terminal/titleChanged",
  title: text,
  source: "person",
});
const resize = (cols: number): TerminalAction => ({ type: "terminal/resized", cols, rows: 1 });

function mirrorAt(seq: number): Mirror<"terminal"> {
  return new Mirror(model, newStates.terminal, seq);
}

test("[E41] an own action shows at once, is confirmed by its echo, and others go beneath it", () => {
  const mirror = mirrorAt(5);
  mirror.add({ clientSeq: 1, action: title("mine") });
  expect(mirror.state.title).toBe("mine");
  expect(mirror.confirmed.title).toBe("bash");

  expect(mirror.take({ action: title("theirs"), serverSeq: 6 })).toEqual({
    kind: "applied",
    confirms: false,
  });
  expect(mirror.confirmed.title).toBe("theirs");
  expect(mirror.state.title).toBe("mine");

  expect(mirror.take({ action: title("mine"), serverSeq: 7, ownSeq: 1 })).toEqual({
    kind: "applied",
    confirms: true,
  });
  expect(mirror.pending).toEqual([]);
  expect(mirror.state).toBe(mirror.confirmed);
});

test("[E41] a hidden action shows when the host confirms it, and others do not bring it up", () => {
  const mirror = mirrorAt(5);
  mirror.add({ clientSeq: 1, action: title("mine"), isHidden: true });
  expect(mirror.state.title).toBe("bash");
  mirror.take({ action: resize(9), serverSeq: 6 });
  expect(mirror.state.title).toBe("bash");
  mirror.take({ action: title("mine"), serverSeq: 7, ownSeq: 1 });
  expect(mirror.state.title).toBe("mine");
});

test("[E41] a rejected action is taken back, and what came after it stays", () => {
  const mirror = mirrorAt(5);
  mirror.add({ clientSeq: 1, action: title("mine") });
  mirror.add({ clientSeq: 2, action: resize(9) });
  const rejection = { action: title("mine"), serverSeq: 5, ownSeq: 1, rejectionReason: "No." };
  expect(mirror.take(rejection)).toEqual({ kind: "rejected", reason: "No." });
  expect(mirror.state).toMatchObject({ title: "bash", size: { cols: 9 } });
  expect(mirror.take(rejection)).toEqual({ kind: "duplicate" });
});

test("[E42] a repeated action changes nothing", () => {
  const mirror = mirrorAt(5);
  expect(mirror.take({ action: title("old"), serverSeq: 5 })).toEqual({ kind: "duplicate" });
  mirror.take({ action: title("a"), serverSeq: 6 });
  expect(mirror.take({ action: title("a"), serverSeq: 6 })).toEqual({ kind: "duplicate" });
  expect(mirror.seq).toBe(6);
});

test("[E41] an action that changed nothing, or is in the snapshot, is acknowledged and moves no number", () => {
  const mirror = mirrorAt(5);
  mirror.add({ clientSeq: 1, action: title("bash") });
  mirror.add({ clientSeq: 2, action: title("new") });
  const unchanged = { action: title("bash"), serverSeq: 40, ownSeq: 1, isUnchanged: true };
  expect(mirror.take(unchanged)).toEqual({ kind: "acknowledged" });
  expect(mirror.seq).toBe(5);
  mirror.restart({ ...newStates.terminal, title: "new" }, 9);
  expect(mirror.take({ action: title("new"), serverSeq: 8, ownSeq: 2 })).toEqual({ kind: "acknowledged" });
  expect(mirror.pending).toEqual([]);
});

test("[E41] the state is always the confirmed one with what is pending on top", () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ do: fc.constant("add"), name: fc.string() }),
      fc.record({ do: fc.constant("foreign"), name: fc.string() }),
      fc.record({ do: fc.constant("echo"), name: fc.string() }),
      fc.record({ do: fc.constant("reject"), name: fc.string() }),
    ),
  );
  fc.assert(
    fc.property(steps, (run) => {
      const mirror = mirrorAt(0);
      let seq = 0;
      let clientSeq = 0;
      for (const { do: what, name } of run) {
        const [first] = mirror.pending;
        if (what === "add") mirror.add({ clientSeq: (clientSeq += 1), action: title(name) });
        if (what === "foreign") mirror.take({ action: title(name), serverSeq: (seq += 1) });
        if (what === "echo" && first) {
          mirror.take({ action: first.action, serverSeq: (seq += 1), ownSeq: first.clientSeq });
        }
        if (what === "reject" && first) {
          mirror.take({
            action: first.action,
            serverSeq: seq,
            ownSeq: first.clientSeq,
            rejectionReason: "No.",
          });
        }
        const expected = mirror.pending.reduce(
          (state, pending) => model.reduce(state, pending.action),
          mirror.confirmed,
        );
        expect(mirror.state).toEqual(expected);
      }
    }),
  );
});
