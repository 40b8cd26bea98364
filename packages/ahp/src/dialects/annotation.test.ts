// Shows that annotations on the wire change as AHP's own reducer changes them.
import { expect, test } from "vitest";
import { reduceSession } from "../model/session/session-reducer.ts";
import type { SessionState } from "../model/session/session.ts";
import { FIXTURES_MISSING, hasFixtures, readFixtures } from "../testing/fixtures.ts";
import { newStates } from "../testing/states.ts";
import { readAnnotationAction, showAnnotations } from "./ahp/annotation.ts";
import type { WireAction } from "./ahp/wire-action.ts";

const fixtures = readFixtures("0.6.0").filter(({ reducer }) => reducer === "annotations");

test.skipIf(!hasFixtures("0.6.0"))(`[E786] AHP's fixtures are there (else: ${FIXTURES_MISSING})`, () => {
  expect(fixtures).toHaveLength(10);
});

/** A session after an action on its annotations. */
function apply(session: SessionState, action: WireAction): SessionState {
  const read = readAnnotationAction(action, session.annotations);
  if (!read.ok || read.value === "nothing") return session;
  return reduceSession(session, read.value);
}

test.for(fixtures.map((fixture) => [fixture.file, fixture] as const))("[E786] %s", ([, fixture]) => {
  const { annotations = [] } = fixture.initial as { annotations?: readonly object[] };
  const written = annotations.map((annotation): WireAction => ({ type: "annotations/set", annotation }));
  const start = written.reduce(apply, newStates.session);
  expect(showAnnotations(start)).toEqual(fixture.initial);
  expect(showAnnotations(fixture.actions.reduce(apply, start))).toEqual(fixture.expected);
});
