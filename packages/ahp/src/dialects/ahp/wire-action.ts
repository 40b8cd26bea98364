// Actions on the wire: the steps that an action of the model becomes, and readers of what clients write.
import type { JsonObject } from "../../model/json.ts";
import { checkShape, type Checked, type Shape } from "../../model/shape.ts";

/** An action on the wire, without the name of its channel. */
export interface WireAction {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Actions in the order in which they are sent.
 * `main` is the one that its author takes for the echo; the others are the host's own.
 */
export interface WireStep {
  readonly lead?: readonly WireAction[];
  readonly main?: WireAction | undefined;
  readonly follow?: readonly WireAction[];
}

export const SILENCE: WireStep = {};

/** Why a client's action is none of its channel; clients of some versions have other names for them. */
export function undispatchable({ type }: WireAction): string {
  return `Clients cannot dispatch ${type.slice(0, 100)} on this channel.`;
}

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

/**
 * The fields that have other values; undefined when there are none.
 * A text that went away becomes an empty one: a partial update has no way to take a field away.
 */
export function changedFields<Shown extends object>(before: Shown, after: Shown): Partial<Shown> | undefined {
  const changes: Record<string, unknown> = {};
  const from = new Map<string, unknown>(Object.entries(before));
  for (const [name, value] of Object.entries(after)) {
    if (!isSame(from.get(name), value)) changes[name] = value ?? "";
  }
  return Object.keys(changes).length > 0 ? (changes as Partial<Shown>) : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));
}

/** The members of an object that the model has no fields for; absent when there are none. */
export function withMembers(rest: object): { readonly members?: JsonObject } {
  // It came over the wire, so it is JSON.
  return Object.keys(rest).length === 0 ? {} : { members: rest as JsonObject };
}

export type ActionReader<Context, Action> = (written: unknown, context: Context) => Checked<Action>;

/** A reader from the shape of the fields and a translation, which may return what is wrong instead. */
export function reader<Fields, Context, Action>(
  shape: Shape<Fields>,
  translate: (fields: Fields, context: Context) => Action | string,
): ActionReader<Context, Action> {
  return (written, context) => {
    const checked = checkShape(shape, written);
    if (!checked.ok) return checked;
    const action = translate(checked.value, context);
    return typeof action === "string" ? { ok: false, problem: action } : { ok: true, value: action };
  };
}
