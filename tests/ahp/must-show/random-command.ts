// Command lines for a shell: colours, characters of all sizes, floods, and whatever else a terminal shows.
import type { Random } from "./random.ts";

/** A line for bash that ends soon. */
export function randomCommand(random: Random): string {
  const count = random.whole(1, 40);
  return random.pick([
    `printf '\\e[3${count % 8}mcolour %s\\e[0m\\n' ${count}`,
    `printf 'ä漢字🎉é%.0s' {1..${count}}; echo`,
    // Halves of characters, a moment apart.
    `for part in 1 2 3; do printf '<\\xe6'; sleep 0.00${count % 9}; printf '\\xbc\\xa2>'; done`,
    // Bytes that are no characters.
    String.raw`printf 'no\xff\xfe\xc3(text\xf0\x9f\n'`,
    `head -c ${count * 500} /dev/urandom | base64`,
    `sleep 0.0${count}`,
    "cd /tmp",
    "cd /usr/bin",
    "false",
    `sh -c 'exit ${count}'`,
    `printf '\\e]0;title ${count}\\a'`,
    `printf '\\e[?1049hfull screen ${count}\\e[?1049l'`,
    `echo one; sleep 0.01; echo two ${count}`,
    `seq ${count * 100}`,
  ]);
}

/** A flood of about a tenth of a mebibyte. */
export const FLOOD = "seq 17000";
