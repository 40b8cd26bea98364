// Waits for commands that cannot be ended, such as a setuid program of another user.
import { describe, expect, it } from "vitest";
import { type HeldTerminal, HeldTerminals } from "./held-terminals.ts";
import { NO_STATUS } from "./shapes.ts";

/** Runs, whatever is tried to end it. */
function endlessTerminal(id: string): HeldTerminal {
  const left = [{ pid: 4711, command: "su" }];
  return {
    id,
    state: { name: "running" },
    exited: new Promise(() => {}),
    kill: async () => left,
    settle: async () => left,
    close: async () => {},
  };
}

describe("a wait for a command that cannot be ended", () => {
  it("[T33] completes when its terminal is released", async () => {
    const held = new HeldTerminals();
    held.add(endlessTerminal("one"));
    const waits = [held.wait("one"), held.wait("one")];
    expect(await held.release("one")).toHaveLength(1);
    expect(await Promise.all(waits)).toEqual([NO_STATUS, NO_STATUS]);
  });

  it.each(["agent", "person"] as const)(
    "[T33] completes when the session of a terminal of the %s closes",
    async (holder) => {
      const held = new HeldTerminals();
      held.add(endlessTerminal("one"));
      held.hold("one", holder);
      const wait = held.wait("one");
      // A person keeps the terminal that the agent releases.
      if (holder === "person") await held.release("one");
      await held.close();
      expect(await wait).toEqual(NO_STATUS);
    },
  );
});
