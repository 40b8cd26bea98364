// Answers `subscribe`.
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import type { AhpRequests, WireSnapshot } from "@holdfast/ahp/dialects";
import type { Channels } from "./channels.ts";
import type { Conversation } from "./conversation.ts";

/** Channels that one connection may follow. */
const maxSubscriptions = 1024;

/** Follows a channel and tells its state; one that is over has a state and nothing to follow. */
export async function subscribe(
  channels: Channels,
  conversation: Conversation,
  { channel, maxLatencyMs, turns }: AhpRequests["subscribe"],
): Promise<{ snapshot: WireSnapshot }> {
  const { dialect } = conversation;
  if (conversation.size >= maxSubscriptions) {
    throw new RpcError(ErrorCode.tooBusy, `At most ${maxSubscriptions} channels can be followed at once.`);
  }
  const found = await channels.find(dialect, channel);
  const snapshot = found && conversation.subscribe(found, { maxLatencyMs, turns });
  if (snapshot !== undefined) return { snapshot };
  throw new RpcError(dialect.errorNumbers.sessionNotFound, `There is no channel ${channel}.`);
}
