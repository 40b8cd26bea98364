// Variables of a command that may be there outside of its sandbox, and those that may not.
import { expect, it } from "vitest";
import { splitEnvironment } from "./environment-split.ts";

it.each([
  "LD_PRELOAD",
  "DYLD_INSERT_LIBRARIES",
  "GLIBC_TUNABLES",
  "MALLOC_TRACE",
  "MallocLogFile",
  "BASH_ENV",
  "BASH_FUNC_echo%%",
  "__BASH_FUNC<echo>()",
  "SHELLOPTS",
  "ENV",
  "PS4",
  "IFS",
  "CDPATH",
  "FPATH",
])("[T647] %s acts on programs outside, and is set inside", (name) => {
  const { outside, inside } = splitEnvironment({ [name]: "x", TOKEN: "secret", PATH: "/bin" });
  expect(inside).toEqual([`${name}=x`]);
  // Arguments are visible to everyone on the machine.
  expect(outside).toEqual({ TOKEN: "secret", PATH: "/bin" });
});
