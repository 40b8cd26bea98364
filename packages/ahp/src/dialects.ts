// The entry for whoever serves a host over AHP.
export type {
  ClientDispatch,
  Dialect,
  DialectName,
  ReadContext,
  ShownChannel,
  ShownEntry,
  ShownTurns,
  Step,
  StepOf,
  TurnPage,
  Verdict,
  WireClientAction,
  WireMessage,
  WireOrigin,
  WireSnapshot,
} from "./dialects/dialect.ts";
export type { AhpErrorName, ErrorNumbers } from "./dialects/error-numbers.ts";
export { negotiate, supportedVersions, type Negotiation, type VersionOffer } from "./dialects/negotiate.ts";
export { ChannelProjection, type KindedState, type LoggedAction } from "./dialects/projection.ts";
export type { AhpRequests, RequestMethod } from "./dialects/request.ts";
export { entrySeqBefore, wireSeq, wireSeqAfter } from "./dialects/sequence.ts";
export { editUri, parseEditUri, type EditAddress } from "./dialects/ahp/edit-uri.ts";
export type { TerminalPart } from "./dialects/ahp/terminal-part.ts";
export { holdfast } from "./dialects/holdfast/holdfast.ts";
export type { HoldfastEnvelope, HoldfastSnapshot } from "./dialects/holdfast/wire.ts";
export { v0_1 } from "./dialects/v0_1/v0-1.ts";
export { v0_10 } from "./dialects/v0_10/v0-10.ts";
export { v0_9 } from "./dialects/v0_9/v0-9.ts";
export { v1_0 } from "./dialects/v1_0/v1-0.ts";
