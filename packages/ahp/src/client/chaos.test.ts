// Shows that clients agree with the host whatever happens to their connections, and that no action runs twice.
import fc from "fast-check";
import { expect, test } from "vitest";
import { ClientBench, quiet, SESSION, TERMINAL, title } from "../testing/client-bench.ts";
import type { ChannelHandle } from "./followed-channels.ts";
import type { DispatchOutcome } from "./subscription.ts";

const happenings = fc.constantFrom(
  "act",
  "act",
  "act",
  "host acts",
  "host acts",
  "type",
  "hold",
  "deliver some",
  "release",
  "cut",
  "come back",
  "forget logs",
  "forget clients",
  "turn",
);

test("[E51] after any run of cuts, delays, repeats and restarts the client has the host's state, and nothing happened twice", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happenings, { maxLength: 40, size: "max" }),
      fc.boolean(),
      async (run, repeats) => {
        const bench = new ClientBench();
        const { host, client } = bench;
        host.repeats = repeats;
        host.refuse = (action) =>
          action.type === "terminal/titleChanged" && action.title.endsWith("5") ? "No." : undefined;
        await client.connect();
        const terminal = await client.subscribe(TERMINAL, "terminal");
        const session = await client.subscribe(SESSION, "session");
        const outcomes: Promise<DispatchOutcome>[] = [];
        for (const [index, what] of run.entries()) await happen(what, index, bench, terminal, outcomes);

        await settle(bench);
        expect(client.status.status).toBe("connected");
        expect(terminal.state).toEqual(host.state(TERMINAL));
        expect(terminal.state).toBe(terminal.confirmed);
        expect(session.state).toEqual(host.state(SESSION));
        expect(new Set(host.carriedOut).size).toBe(host.carriedOut.length);
        const known = await Promise.all(outcomes);
        const confirmed = known.filter(({ status }) => status === "confirmed").length;
        expect(confirmed).toBeLessThanOrEqual(host.carriedOut.length);
        client.close();
      },
    ),
    { numRuns: 150 },
  );
});

async function happen(
  what: string,
  index: number,
  bench: ClientBench,
  terminal: ChannelHandle<"terminal">,
  outcomes: Promise<DispatchOutcome>[],
): Promise<void> {
  const { host, wire } = bench;
  switch (what) {
    case "act":
      outcomes.push(terminal.dispatch(title(`own ${index}`)));
      break;
    case "type":
      outcomes.push(terminal.dispatch({ type: "terminal/input", data: `${index}` }));
      break;
    case "host acts":
      host.dispatch(TERMINAL, title(`host ${index}`));
      host.dispatch(SESSION, { type: "session/titleChanged", title: `host ${index}` });
      break;
    case "hold":
      wire.hold();
      break;
    case "deliver some":
      wire.release(2);
      break;
    case "release":
      wire.release();
      break;
    case "cut":
      wire.cut();
      break;
    case "come back":
      await bench.comeBack();
      break;
    case "forget logs":
      host.forgetLogs();
      break;
    case "forget clients":
      wire.cut();
      host.forgetClients();
      break;
    default:
      await quiet();
  }
}

async function settle(bench: ClientBench): Promise<void> {
  if (!bench.wire.isCut) bench.wire.release();
  await quiet();
  for (let attempt = 0; attempt < 5 && bench.client.status.status !== "connected"; attempt += 1) {
    await bench.comeBack();
    bench.wire.release();
  }
  await quiet();
}
