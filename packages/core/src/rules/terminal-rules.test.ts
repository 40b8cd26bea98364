// The rights on a terminal, by its holder.
import {
  type TerminalClaim,
  type TerminalState,
  defaultChatUri,
  makeId,
  newTerminalState,
  sessionUri,
  terminalUri,
} from "@holdfast/ahp";
import { describe, expect, test } from "vitest";
import { type TerminalUse, refuseDisposal, refuseUse, ruleOnClaim } from "./terminal-rules.ts";

const ann = makeId("client", "ann");
const ben = makeId("client", "ben");
const session = sessionUri(makeId("session", "s"));
const chat = defaultChatUri(session);
const other = sessionUri(makeId("session", "other"));
const turnId = makeId("turn", "t");
const toolCallId = makeId("tool call", "c");
const annHolds: TerminalClaim = { kind: "client", clientId: ann };
const annIsGone: TerminalClaim = { ...annHolds, goneSince: new Date(0).toISOString() };
const inUse: TerminalClaim = { kind: "session", session, chat, turnId, toolCallId };
const background: TerminalClaim = { kind: "session", session, chat };

function terminal(claim: TerminalClaim, more: Partial<TerminalState> = {}): TerminalState {
  const resource = terminalUri(makeId("terminal", "t"));
  return { ...newTerminalState({ resource, run: "tty", title: "sh", claim }), ...more };
}
const ended: Partial<TerminalState> = {
  lifecycle: { status: "exited", exitedAt: new Date(0).toISOString(), exit: { kind: "code", exitCode: 0 } },
};
const rule = (
  claim: TerminalClaim,
  wanted: TerminalClaim,
  by = ben,
  more: Partial<TerminalState> = {},
  confirmed?: "held",
) =>
  ruleOnClaim(terminal(claim, more), wanted, by, {
    isOpen: (uri) => uri === session,
    isKnown: (client) => client === ann || client === ben,
    isOutside: () => false,
    confirmed,
  });
const uses: readonly TerminalUse[] = ["input", "resize", "rename", "clear"];
const mayUse = (state: TerminalState, by = ben) =>
  uses.filter((use) => refuseUse(state, by, use) === undefined);

describe("[U10] a terminal that a client holds", () => {
  test("[U10] is typed into, resized, renamed, cleared by its holder alone", () => {
    expect(mayUse(terminal(annHolds), ann)).toEqual(uses);
    expect(mayUse(terminal(annHolds), ben)).toEqual([]);
    expect(mayUse(terminal(annIsGone), ben)).toEqual([]);
    expect(refuseUse(terminal(annIsGone), ben, "input")?.reason).toMatch(/gone\. Claim it first/);
  });

  test("[U10] is passed on by its holder, to clients and sessions that there are", () => {
    expect(rule(annHolds, { kind: "client", clientId: ben }, ann)).toEqual({
      kind: "passed-on",
      claim: { kind: "client", clientId: ben },
    });
    expect(rule(annHolds, background, ann)).toEqual({ kind: "given", session });
    expect(rule(annHolds, { ...background, session: other }, ann)).toMatchObject({ allowed: false });
    expect(rule(annHolds, annHolds, ann)).toEqual({ kind: "unchanged" });
  });

  test.each([
    [true, undefined, { allowed: false, code: "TERMINAL_NOT_ISOLATED" }],
    [true, "not-isolated", { kind: "given", session }],
    [false, undefined, { kind: "given", session }],
  ] as const)(
    "[U641] outside of an isolated session's sandbox: %j, confirmed: %j",
    (isOutside, confirmed, expected) => {
      const context = { isOpen: () => true, isKnown: () => true, isOutside: () => isOutside, confirmed };
      expect(ruleOnClaim(terminal(annHolds), background, ann, context)).toMatchObject(expected);
    },
  );

  test("[U780] is taken from its holder by a client that confirms it, for itself alone", () => {
    const benWants: TerminalClaim = { kind: "client", clientId: ben };
    expect(rule(annHolds, benWants)).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(/confirmed: "held"/) as string,
    });
    expect(rule(annHolds, benWants, ben, {}, "held")).toEqual({ kind: "passed-on", claim: benWants });
    expect(rule(annHolds, background, ben, {}, "held")).toMatchObject({ allowed: false });
    const third: TerminalClaim = { kind: "client", clientId: makeId("client", "third") };
    expect(rule(annHolds, third, ben, {}, "held")).toMatchObject({ allowed: false });
  });

  test("[U10] is not passed on to a client that never existed", () => {
    const nobody: TerminalClaim = { kind: "client", clientId: makeId("client", "nobody") };
    expect(rule(annHolds, nobody, ann)).toMatchObject({ allowed: false });
    expect(rule(annIsGone, nobody)).toMatchObject({ allowed: false });
  });

  test("[U24] is disposed by its holder, or by anyone when the holder is gone or a session holds it", () => {
    expect(refuseDisposal(terminal(annHolds), ann)).toBeUndefined();
    expect(refuseDisposal(terminal(annHolds), ben)).toMatchObject({
      allowed: false,
      code: "TERMINAL_NOT_HELD",
    });
    expect(refuseDisposal(terminal(annIsGone), ben)).toBeUndefined();
    expect(refuseDisposal(terminal(inUse), ben)).toBeUndefined();
  });

  test("[U10] is nobody else's to claim, until its holder is gone", () => {
    for (const wanted of [{ kind: "client", clientId: ben }, annHolds, background] as const) {
      expect(rule(annHolds, wanted)).toMatchObject({
        allowed: false,
        reason: expect.stringMatching(/Another client/) as string,
      });
    }
    expect(rule(annIsGone, { kind: "client", clientId: ben })).toEqual({
      kind: "passed-on",
      claim: { kind: "client", clientId: ben },
    });
    expect(rule(annIsGone, background)).toEqual({ kind: "given", session });
    expect(rule(annIsGone, annHolds, ann)).toEqual({ kind: "passed-on", claim: annHolds });
  });
});

describe("[U11] a terminal that a session holds", () => {
  test("[U11] is renamed and cleared by anyone, and typed into by nobody before it is taken over", () => {
    for (const claim of [inUse, background]) expect(mayUse(terminal(claim))).toEqual(["rename", "clear"]);
    expect(refuseUse(terminal(inUse), ben, "input")).toEqual({
      allowed: false,
      code: "TERMINAL_NOT_HELD",
      reason: expect.stringMatching(/Take it over first/) as string,
    });
    expect(refuseUse(terminal(inUse), ben, "resize")?.reason).toMatch(/Take it over first/);
  });

  test("[U11] is taken over by a client for itself, if there is a screen and a program", () => {
    expect(rule(inUse, { kind: "client", clientId: ben })).toEqual({
      kind: "taken-over",
      claim: { kind: "client", clientId: ben },
    });
    expect(rule(inUse, annHolds)).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(/for itself only/) as string,
    });
    const self: TerminalClaim = { kind: "client", clientId: ben };
    expect(rule(inUse, self, ben, { run: "text" })).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(/pseudo-terminal/) as string,
    });
    expect(rule(inUse, self, ben, ended)).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(/exited/) as string,
    });
  });

  test("[U11] is detached by anyone, for its own session and no turn", () => {
    expect(rule(inUse, background)).toEqual({ kind: "detached", claim: background });
    expect(rule(inUse, background, ben, { run: "text" })).toEqual({ kind: "detached", claim: background });
    expect(rule(inUse, inUse)).toEqual({ kind: "unchanged" });
    expect(rule(background, background)).toEqual({ kind: "unchanged" });
    expect(rule(inUse, { ...background, session: other })).toMatchObject({ allowed: false });
    expect(rule(inUse, { ...inUse, turnId: makeId("turn", "another") })).toMatchObject({ allowed: false });
    expect(rule(background, inUse)).toMatchObject({ allowed: false });
  });
});

test("[U12] a terminal that has ended, or has no screen, takes no input and no size from anyone", () => {
  expect(mayUse(terminal(annHolds, ended), ann)).toEqual(["rename", "clear"]);
  expect(refuseUse(terminal(annHolds, ended), ann, "input")?.code).toBe("TERMINAL_EXITED");
  expect(mayUse(terminal(annHolds, { run: "text" }), ann)).toEqual(["rename", "clear"]);
  expect(refuseUse(terminal(annHolds, { run: "text" }), ann, "resize")?.code).toBe(
    "TERMINAL_NOT_INTERACTIVE",
  );
});
