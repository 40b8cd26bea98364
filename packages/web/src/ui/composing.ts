// Recognition of keys that belong to an input method, such as the Enter that confirms a candidate (Z1013).

/** The code of every key that an input method handles. */
const inputMethodCode = 229;

/** Whether an input method handles the key; Safari ends the composition before the key that confirms it. */
export function isComposing(event: KeyboardEvent): boolean {
  // oxlint-disable-next-line typescript/no-deprecated -- Safari has no other sign.
  return event.isComposing || event.keyCode === inputMethodCode;
}
