// The login shell of this user's account.
import { userInfo } from "node:os";

/** Its path; `/bin/sh` for a user without an account, as in containers, or without a shell. */
export function accountShell(): string {
  try {
    return userInfo().shell ?? "/bin/sh";
  } catch {
    // The number of this user has no entry.
    return "/bin/sh";
  }
}
