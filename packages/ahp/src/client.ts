// The entry point for programs that talk to a host.
export {
  AhpClient,
  type AhpClientOptions,
  type ClientEvent,
  type ClientStatus,
  type SubscribeOptions,
} from "./client/ahp-client.ts";
export { ClientError, type ClientErrorKind } from "./client/client-error.ts";
export type { ChannelHandle } from "./client/followed-channels.ts";
export type { Timeouts } from "./client/link.ts";
export type {
  ClientInfo,
  HostMethods,
  InitializeResult,
  OpenMethod,
  ReconnectResult,
} from "./client/methods.ts";
export type { DispatchOptions } from "./client/followed-channels.ts";
export type { ChannelEvent, ChannelListener, DispatchOutcome } from "./client/subscription.ts";
export type { Backoff, Timing } from "./client/timing.ts";
export {
  SocketError,
  webSocketTransport,
  type MessageTransport,
  type WebSocketEvent,
  type WebSocketLike,
} from "./client/transport.ts";
export type { HoldfastEnvelope, HoldfastSnapshot } from "./dialects/holdfast.ts";
export type { TerminalPart } from "./dialects/ahp/terminal.ts";
