// Divides a command's variables: some would act on the programs that run outside, before the sandbox is entered.

/**
 * The loader, the shell and the C library read these, on macOS too. A command may set any of them for itself: they are
 * set inside. The others stay in the environment, where arguments would show their values to everyone on the machine.
 */
const actsOutside =
  /^(?:LD_|DYLD_|GLIBC_|MALLOC_|Malloc|GCONV|LOCPATH|NLSPATH|TEXTDOMAIN|BASH|__BASH|SHELLOPTS|ENV$|PS[0-9]$|CDPATH$|FPATH$|IFS$|POSIXLY_)/;

/** Variables that may be there outside, and those that must not. */
export interface SplitEnvironment {
  readonly outside: Record<string, string>;
  /** `NAME=value`. */
  readonly inside: readonly string[];
}

export function splitEnvironment(env: Readonly<Record<string, string>>): SplitEnvironment {
  const outside: Record<string, string> = {};
  const inside: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (actsOutside.test(name)) inside.push(`${name}=${value}`);
    else outside[name] = value;
  }
  return { outside, inside };
}
