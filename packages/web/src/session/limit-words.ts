// A limit in force in words that say where it holds less than its name promises.
import { limitWords, type LimitInForce } from "@holdfast/ahp";

export function inForceWords(limit: LimitInForce): string {
  if (limit.by === "none") return `${limitWords(limit)}, not enforced on this machine`;
  return limit.by === "rlimit" ? `${limitWords(limit)} in each process` : limitWords(limit);
}
