// Shows that the reference reducers are those of AHP: they pass its own fixtures.
import { describe, expect, test } from "vitest";
import { FIXTURES_MISSING, hasFixtures, readFixtures, type ReducerFixture } from "../fixtures.ts";
import {
  reduceSeedSession,
  reduceWireChat,
  reduceWireRoot,
  reduceWireSession,
  reduceWireTerminal,
  type ReferenceReducer,
} from "./channels.ts";
import { fixtureVersion, overTheWire, seedVersion, type ReferenceVersion } from "./reference.ts";

/** Actions that a Holdfast host never sends, and why; cases about them show nothing about it. */
const neverSent: { readonly [type: string]: string } = {
  "session/serverToolsChanged": "the host has no tools",
  "session/activeClientToolsChanged": "a client's tools are sent with the client",
  "session/diffsChanged": "changes of files are shown in their tool calls",
  "session/changesetsChanged": "every session has the same changesets from its start",
  "session/customizationsChanged": "the host has no customizations",
  "session/customizationToggled": "the host has no customizations",
  "session/customizationUpdated": "the host has no customizations",
  "session/customizationRemoved": "the host has no customizations",
  "session/mcpServerStateChanged": "agents start MCP servers themselves",
  "session/mcpServerStartRequested": "agents start MCP servers themselves",
  "session/mcpServerStopRequested": "agents start MCP servers themselves",
  "chat/toolCallAuthRequired": "agents authenticate to MCP servers themselves",
  "chat/toolCallAuthResolved": "agents authenticate to MCP servers themselves",
};

describeFixtures("0.1.0", seedVersion, {
  root: reduceWireRoot,
  session: reduceSeedSession,
  terminal: reduceWireTerminal,
});
describeFixtures("0.6.0", fixtureVersion, {
  root: reduceWireRoot,
  session: reduceWireSession,
  chat: reduceWireChat,
  terminal: reduceWireTerminal,
});

function describeFixtures(
  name: string,
  version: ReferenceVersion,
  reducers: { readonly [kind: string]: ReferenceReducer },
): void {
  describe(`the fixtures of AHP ${name}`, () => {
    test.skipIf(!hasFixtures(name))(`[E30] they are there (else: ${FIXTURES_MISSING})`, () => {
      expect(readFixtures(name).length).toBeGreaterThan(0);
    });

    const cases = readFixtures(name).map((fixture) => {
      const reason = fixture.reducer in reducers ? reasonToSkip(fixture) : "the host has no such channel";
      const why = reason === undefined ? "" : ` (${reason})`;
      return [`${fixture.file}: ${fixture.description}${why}`, fixture, reason] as const;
    });

    test.for(cases)("[E30] %s", ([, fixture, reason], { skip }) => {
      const reduce = reducers[fixture.reducer];
      if (!reduce || reason !== undefined) return skip(reason);
      let state = fixture.initial;
      for (const action of fixture.actions) {
        state = reduce(overTheWire(state) as typeof state, overTheWire(action) as typeof action, version);
      }
      expect(overTheWire(state)).toEqual(overTheWire(fixture.expected));
    });
  });
}

function reasonToSkip({ actions, initial }: ReducerFixture): string | undefined {
  const type = actions.map((action) => action.type).find((candidate) => candidate in neverSent);
  if (type !== undefined) return neverSent[type];
  return JSON.stringify(initial).includes('"auth-required"')
    ? "agents authenticate to MCP servers themselves"
    : undefined;
}
