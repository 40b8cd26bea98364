// What a run's bytes become: a ring, the agent's answer, and batches for subscribers.
export { RingBudget } from "./budget.ts";
export type { ByteBatch, ByteSubscription, SubscriptionStart } from "./byte-subscription.ts";
export { type Clock, type ClockTimer, systemClock } from "./clock.ts";
export { TerminalOutput, type TerminalOutputOptions } from "./output.ts";
export { ByteRing } from "./ring.ts";
export type { Answer, JsonAnswer } from "./tail-answer.ts";
