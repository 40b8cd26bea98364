// The users and sandbox backends that attacks run with: root and an ordinary user, with every backend and with none.
import type { RealHostOptions } from "../host/real-host.ts";

/** A user of the host, and what isolates its sessions. */
export interface AttackSetting {
  readonly user: string;
  /** The user of the host, where it is not the tests' own. */
  readonly uid?: number;
  /** A value of `HOLDFAST_SANDBOX_BACKENDS`, or `best` for the best that the machine has. */
  readonly backend: string;
}

export const isLong = process.env["HOLDFAST_LONG"] !== undefined;
export const isRoot = process.getuid?.() === 0;

/** An ordinary user without a home, and another one, for tests that run as root. */
export const ORDINARY_UID = 65_534;
export const OTHER_UID = 65_533;

const own: AttackSetting = { user: isRoot ? "root" : "ordinary user", backend: "best" };
/** Only root can start programs as somebody else. */
const ordinary: AttackSetting = isRoot ? { user: "ordinary user", uid: ORDINARY_UID, backend: "best" } : own;

/**
 * The tests' own user or an ordinary one, with the backend that it gets on this machine; in the long form both users, with
 * every backend and with none.
 */
export function attackSettings(userInShortForm: "own" | "ordinary"): AttackSetting[] {
  if (!isLong) return [userInShortForm === "own" ? own : ordinary];
  return [...new Set([own, ordinary])].flatMap((each) => {
    const bubblewrap = each.user === "root" ? "bubblewrap-root" : "bubblewrap-user";
    return [bubblewrap, "landlock", "none"].map((backend) => ({ ...each, backend }));
  });
}

/** How the host of a setting is started. */
export function optionsOf({ uid, backend }: AttackSetting): RealHostOptions {
  return {
    uid,
    ...(backend !== "best" && { environment: { HOLDFAST_SANDBOX_BACKENDS: backend } }),
  };
}
