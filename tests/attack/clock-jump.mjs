// Preloaded into a host: its clock is ahead of the machine's by the milliseconds in a file, as if somebody had set it.
import { readFileSync } from "node:fs";

const file = process.env["HOLDFAST_ATTACK_CLOCK"] ?? "";
const RealDate = Date;

function offsetMs() {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    // In a sandbox the file may not be there; only the host's own clock is under attack.
    return 0;
  }
}

globalThis.Date = /** @type {DateConstructor} */ (
  class extends RealDate {
    /** @param {[] | [number]} parts */
    constructor(...parts) {
      if (parts.length === 0) super(RealDate.now() + offsetMs());
      else super(...parts);
    }

    /** @override */
    static now() {
      return RealDate.now() + offsetMs();
    }
  }
);
