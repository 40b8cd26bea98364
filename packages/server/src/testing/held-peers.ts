// Ends of connections whose check takes until a test says so.
import type { PeerFinder } from "../auth/peer-check.ts";

export interface HeldCheck {
  /** Resolves when the connection is being checked. */
  readonly begun: Promise<void>;
  release(): void;
}

/** Every client is of the host's own user, and no agent. `holdNext` holds the check of the next new connection. */
export function holdablePeers(): { readonly peers: PeerFinder; readonly holdNext: () => HeldCheck } {
  let hold: (() => Promise<void>) | undefined;
  const findSocket: PeerFinder["findSocket"] = async () => {
    const held = hold;
    hold = undefined;
    await held?.();
    return { uid: process.getuid?.() ?? 0, inode: "0" };
  };
  const holdNext = (): HeldCheck => {
    let [begin, release] = [(): void => {}, (): void => {}];
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    hold = () => {
      begin();
      return released;
    };
    return { begun, release: () => release() };
  };
  return { peers: { findSocket, findProcess: async () => undefined }, holdNext };
}
