// What a client is made from, and what is taken where nothing is said.
import type { RetryOptions } from "./retry.ts";
import type { Surroundings } from "./surroundings/surroundings.ts";

/** What a client is made from; all of it may be left out where a host runs on this machine. */
export interface HoldfastOptions {
  /** The host's address; else the host of this machine, or the one that served the page. */
  readonly baseUrl?: string;
  /** The host's token, or a key that its owner made. */
  readonly apiKey?: string;
  /** The id under which the host's owner knows this app. */
  readonly appId?: string;
  /** What the app wishes to be granted; told to the host when it comes with an app id and no key. */
  readonly permissions?: readonly string[];
  /** The same settings under the names of RealtimeX. */
  readonly realtimex?: RealtimeXOptions;
  /** How hard a broken stream is tried to be taken up again. */
  readonly retry?: RetryOptions;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The settings of RealtimeX's client. */
export interface RealtimeXOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly appId?: string;
  readonly appName?: string;
}

/** Who the client is to the host. */
export interface Identity {
  readonly appId: string | undefined;
  readonly appName: string | undefined;
  readonly apiKey: string | undefined;
}

/** Who the client is: by its options, else by the variables that RealtimeX sets for its apps (X3). */
export function readIdentity(options: HoldfastOptions, surroundings: Surroundings): Identity {
  const { realtimex = {} } = options;
  return {
    appId: firstGiven(options.appId, realtimex.appId, surroundings.variable("RTX_APP_ID")),
    appName: firstGiven(realtimex.appName, surroundings.variable("RTX_APP_NAME")),
    apiKey: firstGiven(options.apiKey, realtimex.apiKey, surroundings.variable("RTX_API_KEY")),
  };
}

/** The address that was asked for, without a slash at its end; undefined when none was. */
export function readBaseUrl({ baseUrl, realtimex = {} }: HoldfastOptions): string | undefined {
  return firstGiven(baseUrl, realtimex.url)?.replace(/\/+$/, "");
}

/** An empty string is a setting that was left empty. */
function firstGiven(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined && text !== "");
}
