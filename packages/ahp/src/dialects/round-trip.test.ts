// Shows that values of AHP's published round trips pass through the host unchanged, where the host both reads and writes them.
import { describe, expect, test } from "vitest";
import { channelModels } from "../model/channel.ts";
import { makeId } from "../model/ids.ts";
import { newStates } from "../testing/states.ts";
import { storyAfter, askingActions } from "../testing/turn-story.ts";
import { FIXTURES_MISSING, hasFixtures, readRoundTrips, type RoundTrip } from "../testing/fixtures.ts";
import { fieldsOf, listOf, overTheWire, type WireFields } from "../testing/wire/reference.ts";
import { showState } from "../testing/wire/viewer.ts";
import type { WireAction } from "./ahp/wire-action.ts";
import { advance } from "./projection.ts";
import { v0_6 } from "./v1_0/v1-0.ts";

const WRITES_ONLY = "the host writes it and reads none";
const at = "2026-01-01T00:00:00.000Z";
const clientId = makeId("client", "my-client");

/** The trip of each type through the host; a text is the reason why there is none. */
const trips: { readonly [type: string]: ((input: unknown) => unknown) | string } = {
  ActionEnvelope: echoOf,
  StateAction: (input) => refused(input as WireAction),
  Customization: (input) => listOf(announced({ customizations: [input] })["customizations"])[0],
  ChatInputQuestion: (input) => asked(input),
  SessionStatus: WRITES_ONLY,
  SessionSummary: WRITES_ONLY,
  SessionAddedParams: WRITES_ONLY,
  PartialSessionSummary: WRITES_ONLY,
  InitializeResult: WRITES_ONLY,
  StringOrMarkdown: "the model has plain text only",
  JsonRpcMessage: "the tests of @holdfast/jsonrpc show it with the official SDK",
  ChangesetOperationTarget: "the host has no changesets",
  Implementation: "the host keeps it for its list of clients and sends it to none",
};

describe("the round trips of AHP 0.6.0", () => {
  test.skipIf(!hasFixtures("0.6.0"))(`[E764] they are there (else: ${FIXTURES_MISSING})`, () => {
    expect(readRoundTrips("0.6.0").length).toBeGreaterThan(0);
  });

  const cases = readRoundTrips("0.6.0").map((fixture) => {
    const trip = trips[fixture.type];
    const why = typeof trip === "string" ? ` (${trip})` : "";
    return [`${fixture.file}${why}`, fixture, trip] as const;
  });

  test.for(cases)("[E764] %s", ([, fixture, trip], { skip }) => {
    if (typeof trip === "string") return skip(trip);
    if (trip === undefined) throw new Error(`Nothing is known of ${fixture.type}.`);
    expect(trip(fixture.input)).toEqual(expectedOf(fixture));
  });
});

/** The host numbers envelopes itself. */
function expectedOf({ type, acceptableOutputs: [output] }: RoundTrip): unknown {
  if (type !== "ActionEnvelope") return output;
  const { serverSeq: _serverSeq, ...expected } = fieldsOf(output);
  return expected;
}

function echoOf(input: unknown): WireFields {
  const { channel, action, origin } = fieldsOf(input);
  const on = { kind: "session", state: newStates.session } as const;
  const read = v0_6.readAction(action as WireAction, { ...on, clientId, at });
  const step = read.ok ? advance(on, read.action) : undefined;
  if (!step) throw new Error("The action was not read.");
  const author = origin === undefined ? undefined : (origin as { clientId: string; clientSeq: number });
  const [message] = v0_6.showAction({ channel: String(channel), serverSeq: 1, origin: author }, step);
  const { serverSeq: _serverSeq, ...envelope } = fieldsOf(JSON.parse(JSON.stringify(message?.params)));
  return envelope;
}

function refused(action: WireAction): unknown {
  const frame = v0_6.readDispatch({ channel: newStates.session.resource, clientSeq: 1, action });
  if (!frame.ok) throw new Error(frame.problem);
  return fieldsOf(v0_6.answerDispatch(frame.value, clientId, 1, "No.").params)["action"];
}

function announced(members: object): WireFields {
  const action = { type: "session/activeClientSet", activeClient: { clientId, tools: [], ...members } };
  const on = { kind: "session", state: newStates.session } as const;
  const read = v0_6.readAction(action, { ...on, clientId, at });
  const step = read.ok ? advance(on, read.action) : undefined;
  if (step?.kind !== "session") throw new Error("The client was not read.");
  const state = showState(v0_6, { kind: "session", state: step.after });
  return listOf(state["activeClients"])[0] ?? {};
}

function asked(question: unknown): unknown {
  const request = { id: "q9", requestedAt: at, questions: [question] };
  const checked = channelModels.chat.checkAction({ type: "chat/inputRequested", turnId: "t1", request });
  const step = checked.ok
    ? advance({ kind: "chat", state: storyAfter(...askingActions) }, checked.value)
    : undefined;
  if (step?.kind !== "chat") throw new Error("The question was not read.");
  const turn = fieldsOf(showState(v0_6, { kind: "chat", state: step.after })["activeTurn"]);
  const part = listOf(turn["responseParts"]).findLast(({ kind }) => kind === "inputRequest");
  return overTheWire(listOf(fieldsOf(part?.["request"])["questions"])[0]);
}
