// Reads what a store has written down under a name.

/** The members of a record; none when the text is no record. */
export function parseRecord(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // A text that is no JSON has no members; whoever wants some says what is missing.
    return {};
  }
}
