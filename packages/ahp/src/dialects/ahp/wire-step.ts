// What one action of the model becomes on the wire: the action itself, and what must be said before and after it.

/** An action on the wire, without the name of its channel. */
export interface WireAction {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Actions in the order in which they are told.
 * `main` is the one that its author takes for the echo; the others are the host's own.
 */
export interface WireStep {
  readonly lead?: readonly WireAction[];
  readonly main?: WireAction | undefined;
  readonly follow?: readonly WireAction[];
}

/** Nothing to tell. */
export const SILENCE: WireStep = {};

/** All actions of a step in order. */
export function stepActions({ lead = [], main, follow = [] }: WireStep): readonly WireAction[] {
  return [...lead, ...(main ? [main] : []), ...follow];
}

/** Actions of which the first is the echo. */
export function stepOf(actions: readonly WireAction[]): WireStep {
  const [main, ...follow] = actions;
  return main ? { main, follow } : SILENCE;
}

/** A step with the types of its actions in full. */
export function withPrefix(prefix: string, { lead, main, follow }: WireStep): WireStep {
  const full = (action: WireAction): WireAction => ({ ...action, type: prefix + action.type });
  return { lead: lead?.map(full), main: main && full(main), follow: follow?.map(full) };
}
