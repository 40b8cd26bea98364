// Sizes and titles that nobody can have: what the state says is what the terminal has.
import { realpathSync } from "node:fs";
import { makeId } from "@holdfast/ahp";
import { describe, expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHost, ME, useFakeHosts } from "../testing/fake-host.ts";
import { WatchingClient } from "../testing/terminal-viewer.ts";
import type { WantedShell } from "../testing/terminal-client.ts";

guardLeaks();
const newHost = useFakeHosts();

async function openShell(
  request: Partial<WantedShell>,
): Promise<{ fake: FakeHost; watching: WatchingClient }> {
  const fake = newHost({});
  const terminals = fake.terminals;
  const clientId = makeId("client", "ann");
  const shell = { command: "/bin/bash" };
  const uri = await terminals.create({ clientId, shell, cwd: realpathSync("/tmp"), ...request });
  return { fake, watching: await WatchingClient.open(terminals, uri, "ann") };
}

/** Types a line and waits for its command to end; gives its part. */
async function run(watching: WatchingClient, line: string) {
  const ended = () => watching.content.filter((part) => part.kind === "command" && part.end !== undefined);
  const count = ended().length;
  expect(watching.type(`${line}\r`)).toEqual({ outcome: "accepted" });
  return until(() => ended()[count]);
}

describe("[U201] sizes", () => {
  test("[U201] a screen has at most 1000×500 and at least 2×1, and its state says what its PTY has", async () => {
    const { watching } = await openShell({ size: { cols: 1e9, rows: 70_000 } });
    await watching.has(({ supportsCommandDetection }) => supportsCommandDetection);
    expect(watching.state.size).toEqual({ cols: 1000, rows: 500 });
    expect(await run(watching, "stty size")).toMatchObject({ text: "500 1000\r\n" });
    watching.submit({ type: "terminal/resized", cols: 1, rows: 1 });
    expect((await watching.next()).size).toEqual({ cols: 2, rows: 1 });
    watching.submit({ type: "terminal/resized", cols: 1e9, rows: 1e9 });
    expect((await watching.next()).size).toEqual({ cols: 1000, rows: 500 });
    expect(await run(watching, "stty size")).toMatchObject({ text: "500 1000\r\n" });
  });
});

describe("[U200] titles", () => {
  test("[U200] a title of 10 MiB is published as its first 512 characters, whether a program, an agent or a client gives it", async () => {
    const name = `🎉${"x".repeat(10 * 1024 * 1024)}`;
    const { watching, fake } = await openShell({ name });
    expect(watching.state.title).toBe(name.slice(0, 512));
    const renamed = `${"y".repeat(511)}🎉${"z".repeat(10 * 1024 * 1024)}`;
    expect(
      watching.submit({ type: "terminal/titleChanged", title: renamed, source: "person" }),
    ).toMatchObject({
      outcome: "accepted",
    });
    // Not within a character.
    expect((await watching.next()).title).toBe("y".repeat(511));
    expect(watching.actions.filter((action) => JSON.stringify(action).length > 2000)).toEqual([]);
    await until(() =>
      fake.host.hub.list("root")[0]?.state.terminals[0]?.title.length === 511 ? true : undefined,
    );
    expect(fake.host.terminals.list(ME)).toMatchObject([{ title: "y".repeat(511) }]);
  });
});
