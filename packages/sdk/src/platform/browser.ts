// Platform in a browser, or anywhere that is not Node: the host is the one that served the page.
import type { Platform } from "../host-address.ts";

const globals: Readonly<Record<string, unknown>> = globalThis;

/** A page: its variables are globals, its host has the page's own origin. */
export const platform: Platform = {
  variable(name) {
    const value = globals[name];
    return typeof value === "string" ? value : undefined;
  },
  findHost() {
    const { location } = globals as { readonly location?: { readonly origin: string } };
    const isServed = location !== undefined && /^https?:/.test(location.origin);
    if (!isServed) return Promise.resolve(undefined);
    return Promise.resolve({ url: location.origin, isRunning: () => Promise.resolve(true) });
  },
};
