// Times between TERM and KILL, for each way in which a tree is ended.

/** Default when an agent or a person ends a command. */
export const KILL_GRACE_MS = 5000;
/** A run that exceeded a limit. */
export const LIMIT_GRACE_MS = 1000;
/** A run that is released while it runs, and everything when the host closes. */
export const RELEASE_GRACE_MS = 2000;
/** Everything that a host left behind when it died. */
export const ORPHAN_GRACE_MS = 2000;
