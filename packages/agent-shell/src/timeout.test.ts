// Waiting that ends.
import { describe, expect, it } from "vitest";
import { untilAborted, within } from "./timeout.ts";

const never = new Promise<string>(() => undefined);

describe("waiting", () => {
  it("[S10] ends when a signal aborts, before or meanwhile", async () => {
    const controller = new AbortController();
    expect(await untilAborted(Promise.resolve("done"), controller.signal)).toBe("done");
    const waiting = untilAborted(never, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    await expect(untilAborted(never, controller.signal)).rejects.toMatchObject({ name: "AbortError" });
  });

  it("[S21] ends when it has lasted long enough, or with what it waited for", async () => {
    expect(await within(Promise.resolve("done"), 10_000)).toBe("done");
    expect(await within(Promise.reject(new Error("no")), 10_000)).toBeUndefined();
    expect(await within(never, 5)).toBeUndefined();
  });
});
