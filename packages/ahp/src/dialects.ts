// The entry point for programs that serve a host over AHP.
export type {
  AnsweredDispatch,
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
  ReadAction,
  WireMessage,
  WireOrigin,
  WireSnapshot,
} from "./dialects/dialect.ts";
export type { AhpErrorName, ErrorNumbers } from "./dialects/error-numbers.ts";
export { negotiate, supportedVersions, type Negotiation, type VersionOffer } from "./dialects/negotiate.ts";
export { ChannelProjection, type StateByKind, type LoggedAction } from "./dialects/projection.ts";
export { requestMethods, type AhpRequests, type RequestMethod } from "./dialects/ahp/request.ts";
export { dispatchableActions } from "./dialects/ahp/read-action.ts";
export { entrySeqBefore, wireSeq, wireSeqAfter } from "./dialects/sequence.ts";
export {
  changedFileUri,
  changesetOperations,
  changesetUri,
  parseChangedFileUri,
  parseChangesetUri,
  readReviewAction,
  showChangesetFiles,
  type ChangedFileAddress,
  type ChangesetAddress,
  type ChangesetOperationId,
  type ChangesetStyle,
  type ListedChanges,
  type WireChangesetOperation,
  type WireChangesetState,
  type WrittenReview,
} from "./dialects/ahp/changeset.ts";
export {
  parseAnnotationsUri,
  readAnnotationAction,
  showAnnotationAction,
  showAnnotations,
} from "./dialects/ahp/annotation.ts";
export { editUri, parseEditUri, type EditAddress } from "./dialects/ahp/uri.ts";
export type { TerminalPart } from "./dialects/ahp/terminal.ts";
export { holdfast, type HoldfastEnvelope, type HoldfastSnapshot } from "./dialects/holdfast.ts";
export { v0_1 } from "./dialects/v0_1/v0-1.ts";
export { v0_10, v0_5_0, v0_5_1, v0_5_2, v0_6, v0_7, v0_8, v0_9, v1_0 } from "./dialects/v1_0/v1-0.ts";
