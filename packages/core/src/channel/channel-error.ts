// What can go wrong between the hub and whoever uses it.

/** What went wrong, in words a program can switch on. */
export type ChannelErrorCode =
  /** No channel has this URI. */
  | "channel_not_found"
  /** A channel with this URI is open already. */
  | "channel_exists"
  /** The action belongs to another kind of channel. */
  | "wrong_channel"
  /** The value is no action of this channel. */
  | "invalid_action";

/** A failure of the hub; each transport translates it into its own words. */
export class ChannelError extends Error {
  override readonly name = "ChannelError";
  readonly code: ChannelErrorCode;
  readonly uri: string;

  constructor(code: ChannelErrorCode, uri: string, message: string) {
    super(message);
    this.code = code;
    this.uri = uri;
  }
}
