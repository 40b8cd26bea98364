// Random actions of the root and of a terminal.
import fc from "fast-check";
import type { RootAction } from "../../model/root/root.ts";
import { summarizeSession } from "../../model/session/session-summary.ts";
import {
  summarizeTerminal,
  type TerminalAction,
  type TerminalClaim,
  type TerminalExit,
} from "../../model/terminal/terminal.ts";
import { newStates } from "../states.ts";
import { actionsOf, ids, limits, maybe, times, words, type FieldsByType } from "./value.ts";

const summary = summarizeSession(newStates.session);
const info = summarizeTerminal(newStates.terminal);
const summaries = ids("session URI").map((resource) => Object.assign({}, summary, { resource }));
const infos = ids("terminal URI").map((resource) => Object.assign({}, info, { resource }));

/** The fields of each action of the root. */
export const rootActionFields: FieldsByType<RootAction> = {
  "root/agentsChanged": fc.constant({ agents: [] }),
  "root/sessionAdded": fc.record({ summary: summaries }),
  "root/sessionSummaryChanged": fc.record({
    session: ids("session URI"),
    changes: fc.record({ title: words, label: maybe(fc.option(words)) }),
  }),
  "root/sessionRemoved": fc.record({ session: ids("session URI") }),
  "root/terminalsChanged": fc.record({ terminals: fc.array(infos, { maxLength: 3 }) }),
  "root/configChanged": fc.record({ config: fc.dictionary(words, words), replace: maybe(fc.boolean()) }),
};

/** Any action of the root. */
export const rootActions: fc.Arbitrary<RootAction> = actionsOf<RootAction>(rootActionFields, {
  "root/sessionAdded": 3,
});

const claims: fc.Arbitrary<TerminalClaim> = fc.oneof(
  fc.record({ kind: fc.constantFrom("client"), clientId: ids("client"), goneSince: maybe(times) }),
  fc.record({
    kind: fc.constantFrom("session"),
    session: ids("session URI"),
    chat: ids("chat URI"),
    turnId: maybe(ids("turn")),
  }),
);
const exits: fc.Arbitrary<TerminalExit> = fc.oneof(
  fc.record({ kind: fc.constantFrom("code"), exitCode: fc.nat(255), limit: maybe(limits) }),
  fc.record({ kind: fc.constantFrom("signal"), signal: fc.constantFrom("SIGTERM", "SIGKILL") }),
);
const offsets = fc.nat(40);

/** The fields of each action of a terminal. */
export const terminalActionFields: FieldsByType<TerminalAction> = {
  "terminal/data": fc
    .record({ data: words, offset: offsets, length: fc.nat(4) })
    .map(({ data, offset, length }) => ({ data, offset, endOffset: offset + length })),
  "terminal/trimmed": fc.record({ skippedBytes: offsets }),
  "terminal/input": fc.record({ data: words }),
  "terminal/resized": fc.record({
    cols: fc.integer({ min: -1, max: 3 }),
    rows: fc.integer({ min: 0, max: 3 }),
  }),
  "terminal/claimed": fc.record({ claim: claims }),
  "terminal/titleChanged": fc.record({ title: words, source: fc.constantFrom("person", "program") }),
  "terminal/cwdChanged": fc.record({ cwd: words }),
  "terminal/cleared": fc.record({ offset: offsets }),
  "terminal/commandDetectionAvailable": fc.constant({}),
  "terminal/commandExecuted": fc.record({
    commandId: ids("command"),
    commandLine: words,
    startedAt: times,
    offset: offsets,
  }),
  "terminal/commandFinished": fc.record({
    commandId: ids("command"),
    exitCode: maybe(fc.nat(255)),
    durationMs: maybe(fc.nat()),
  }),
  "terminal/exited": fc.record({ exitedAt: times, exit: exits }),
  "terminal/leftoversChanged": fc.record({
    leftovers: maybe(fc.record({ count: fc.nat(9), processes: fc.constant([{ pid: 7, command: "sleep" }]) })),
  }),
};

/** Any action of a terminal; output is the most frequent. */
export const terminalActions: fc.Arbitrary<TerminalAction> = actionsOf<TerminalAction>(terminalActionFields, {
  "terminal/data": 12,
});
