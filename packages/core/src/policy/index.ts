// Rules about what agents may do, without the host: for the command line.
export { decideUncovered, type PolicyDecision } from "../approval/policy.ts";
export { followLinksNow } from "../resource/links.ts";
export {
  type CurrentPolicy,
  decideByRules,
  describeRule,
  policyOf,
  type PolicySource,
  ruleSetsOf,
} from "./host-policy.ts";
