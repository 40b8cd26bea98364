// Timeout of `vi.waitFor` and `vi.waitUntil`, which is 1 s: the configuration can set only that of `expect.poll`.
import { vi } from "vitest";
import { waiting } from "./waiting.ts";

type WaitOptions = Parameters<typeof vi.waitFor>[1];

/** Marks what was replaced: files share the process, and each of them evaluates this module. */
const replaced = Symbol.for("holdfast.wait-timeouts");

function withDefaults(options: WaitOptions = {}): WaitOptions {
  return { ...waiting, ...(typeof options === "number" ? { timeout: options } : options) };
}

if (!(replaced in vi)) {
  const { waitFor, waitUntil } = vi;
  vi.waitFor = (callback, options) => waitFor(callback, withDefaults(options));
  vi.waitUntil = (callback, options) => waitUntil(callback, withDefaults(options));
  Object.assign(vi, { [replaced]: true });
}
