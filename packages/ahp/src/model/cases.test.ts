// Runs every case in cases/ against its reducer.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { chatActionFields } from "../testing/arbitrary/chat.ts";
import { rootActionFields, terminalActionFields } from "../testing/arbitrary/root-and-terminal.ts";
import { sessionActionFields } from "../testing/arbitrary/session.ts";
import { deepFreeze, newStates } from "../testing/states.ts";
import { channelModels, type ChannelKind, type ChannelModel, type ChannelStates } from "./channel.ts";
import type { Checked } from "./shape.ts";

const caseSchema = z.strictObject({
  name: z.string(),
  /** The SPEC rule that the case shows. */
  rule: z.string().regex(/^M\d+$/),
  kind: z.enum(["root", "session", "chat", "terminal"]),
  /** The fields in which the state differs from a new one. */
  before: z.record(z.string(), z.unknown()),
  actions: z.array(z.looseObject({ type: z.string() })).min(1),
  /** The fields that changed, `null` for one that went away; all others are as before. `same`: the very same object. */
  after: z.union([z.literal("same"), z.record(z.string(), z.unknown())]),
});

type Case = z.infer<typeof caseSchema>;

function readCases(): readonly Case[] {
  const folder = fileURLToPath(new URL("./cases/", import.meta.url));
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => z.array(caseSchema).parse(JSON.parse(readFileSync(folder + file, "utf8"))));
}

const cases = readCases();

const titled = cases.map((one) => Object.assign(one, { title: `[${one.rule}] ${one.kind}: ${one.name}` }));

test.each(titled)("$title", (one) => {
  const { before, after, expected } = run[one.kind](one);
  if (expected === "same") {
    expect(after).toBe(before);
    return;
  }
  expect(after).not.toEqual(before);
  expect(JSON.parse(JSON.stringify(after))).toEqual(expected);
});

interface Outcome {
  readonly before: object;
  readonly after: object;
  readonly expected: object | "same";
}

const run: { readonly [Kind in ChannelKind]: (one: Case) => Outcome } = {
  root: (one) => runCase(one, channelModels.root, newStates.root),
  session: (one) => runCase(one, channelModels.session, newStates.session),
  chat: (one) => runCase(one, channelModels.chat, newStates.chat),
  terminal: (one) => runCase(one, channelModels.terminal, newStates.terminal),
};

function runCase<Kind extends ChannelKind>(
  one: Case,
  model: ChannelModel<Kind>,
  fresh: ChannelStates[Kind],
): Outcome {
  const before = deepFreeze(valid(model.checkState({ ...fresh, ...one.before })));
  const actions = deepFreeze(one.actions.map((action) => valid(model.checkAction(action))));
  let after = before;
  for (const action of actions) after = model.reduce(after, action);
  const expected =
    one.after === "same" ? one.after : valid(model.checkState(withoutNulls({ ...before, ...one.after })));
  return { before, after, expected };
}

test("[M2] every action of every channel changes something in a case, but for typing, which changes nothing", () => {
  const types = [rootActionFields, sessionActionFields, chatActionFields, terminalActionFields].flatMap(
    (fields) => Object.keys(fields),
  );
  const used = new Set(
    cases.filter((one) => one.after !== "same").flatMap((one) => one.actions.map((action) => action.type)),
  );
  expect(types.filter((type) => !used.has(type))).toEqual(["terminal/input"]);
});

function valid<Value>(checked: Checked<Value>): Value {
  if (!checked.ok) throw new Error(checked.problem);
  return checked.value;
}

function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
