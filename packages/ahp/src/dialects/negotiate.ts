// Which dialect a client and the host speak, from what the client offers first.
import { MODEL_VERSION } from "../model/channel.ts";
import type { Dialect } from "./dialect.ts";
import { errorNumbers } from "./error-numbers.ts";
import { holdfast } from "./holdfast.ts";
import { v0_1 } from "./v0_1/v0-1.ts";
import { v0_10, v0_5_0, v0_5_1, v0_5_2, v0_6, v0_7, v0_8, v0_9, v1_0 } from "./v1_0/v1-0.ts";

/** Versions that a client offers; all of it is untrusted input. */
export interface VersionOffer {
  readonly protocolVersions?: unknown;
  /** A number, as before versions had three parts. */
  readonly protocolVersion?: unknown;
  readonly _meta?: unknown;
}

/** The dialect and how to confirm it, or an error to answer with before the connection is closed. */
export type Negotiation =
  | {
      readonly ok: true;
      readonly dialect: Dialect;
      /** The version to answer: exactly what was offered. */
      readonly protocolVersion: string | number;
      /** For `InitializeResult._meta`, when the model itself is spoken. */
      readonly _meta?: { readonly holdfast: number };
    }
  | {
      readonly ok: false;
      readonly code: number;
      readonly message: string;
      readonly data?: { readonly supportedVersions: readonly string[] };
    };

/** The versions that the host speaks, as ranges. */
export const supportedVersions: readonly string[] = [
  "^1.0.0",
  "^0.10.0",
  "^0.9.0",
  "^0.8.0",
  "^0.7.0",
  "^0.6.0",
  "^0.5.0",
  "^0.1.0",
];

const INVALID_PARAMS = -32602;
const SEED_VERSION_NUMBER = 1;

/** Chooses the highest version that both sides speak (E1). */
export function negotiate({ protocolVersions, protocolVersion, _meta }: VersionOffer): Negotiation {
  if (protocolVersions === undefined && typeof protocolVersion === "number") {
    if (protocolVersion !== SEED_VERSION_NUMBER) return unsupported();
    return { ok: true, dialect: v0_1, protocolVersion };
  }
  if (!Array.isArray(protocolVersions) || protocolVersions.length === 0) {
    return malformed("protocolVersions: expected a list of versions");
  }
  const offers: Version[] = [];
  for (const offered of protocolVersions as readonly unknown[]) {
    const version = parseVersion(offered);
    if (!version) return malformed(`protocolVersions: ${JSON.stringify(offered)} is not like 1.0.0`);
    if (dialectOf(version)) offers.push(version);
  }
  const [best] = offers.toSorted(compareDescending);
  const dialect = best && dialectOf(best);
  if (!best || !dialect) return unsupported();
  if (dialect !== v1_0 || !speaksModel(_meta)) return { ok: true, dialect, protocolVersion: best.text };
  return { ok: true, dialect: holdfast, protocolVersion: best.text, _meta: { holdfast: MODEL_VERSION } };
}

interface Version {
  readonly text: string;
  readonly parts: readonly [major: number, minor: number, patch: number];
}

function parseVersion(value: unknown): Version | undefined {
  const match = typeof value === "string" ? /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(value) : null;
  if (!match) return undefined;
  const [text, major, minor, patch] = match;
  return { text, parts: [Number(major), Number(minor), Number(patch)] };
}

function dialectOf({ parts: [major, minor, patch] }: Version): Dialect | undefined {
  if (major === 1) return v1_0;
  if (major !== 0) return undefined;
  // The one minor version whose patches differ on the wire.
  if (minor === 5) return [v0_5_0, v0_5_1][patch] ?? v0_5_2;
  return { 10: v0_10, 9: v0_9, 8: v0_8, 7: v0_7, 6: v0_6, 1: v0_1 }[minor];
}

function compareDescending({ parts: one }: Version, { parts: other }: Version): number {
  return other[0] - one[0] || other[1] - one[1] || other[2] - one[2];
}

/** A client of another model version is served as any other: it gets what AHP 1.0 has. */
function speaksModel(meta: unknown): boolean {
  return typeof meta === "object" && meta !== null && "holdfast" in meta && meta.holdfast === MODEL_VERSION;
}

function malformed(message: string): Negotiation {
  return { ok: false, code: INVALID_PARAMS, message };
}

function unsupported(): Negotiation {
  return {
    ok: false,
    code: errorNumbers.unsupportedProtocolVersion,
    message: `This host speaks AHP ${supportedVersions.join(", ")}.`,
    data: { supportedVersions },
  };
}
