// Reads an action that a client wrote: checks its fields, then says it in the model's terms.
import type { Checked, Shape } from "../../model/shape.ts";
import { checkShape } from "../../model/shape.ts";

/** Reads one type of action. */
export type ActionReader<Context, Action> = (written: unknown, context: Context) => Checked<Action>;

/** A reader from the shape of the fields and a translation, which may answer with what is wrong instead. */
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
