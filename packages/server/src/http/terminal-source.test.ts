// The source of a terminal's stream with a feed that answers when the test lets it.
import type { TerminalReading } from "@holdfast/core";
import { expect, it, vi } from "vitest";
import { TerminalEventSource } from "./terminal-source.ts";

it("[A53] what comes while the feed looks and finds nothing is asked for again", async () => {
  const answers: ((reading: TerminalReading) => void)[] = [];
  const next = (): Promise<TerminalReading> =>
    new Promise((resolve) => {
      answers.push(resolve);
    });
  const wake = vi.fn<() => void>();
  const source = new TerminalEventSource({ next, close: () => {} }, wake);
  expect(source.next()).toBeUndefined();
  // The signal: it comes before the answer that does not know of it.
  expect(source.next()).toBeUndefined();
  answers[0]?.({ kind: "nothing" });
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  expect(wake).not.toHaveBeenCalled();
  answers[1]?.({ kind: "output", offset: 7, bytes: Buffer.from("hi") });
  await vi.waitFor(() => expect(wake).toHaveBeenCalledTimes(1));
  expect(source.next()).toBe('id: 9\nevent: output\ndata: {"offset":7,"bytes":"aGk="}\n\n');
  expect(source.next()).toBeUndefined();
  // Without a signal, nothing is asked for in vain.
  answers[2]?.({ kind: "nothing" });
  await new Promise(setImmediate);
  expect(answers).toHaveLength(3);
});
