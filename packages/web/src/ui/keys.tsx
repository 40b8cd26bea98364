// Keys of the keyboard.
import type { ReactNode } from "react";

/** Keys that are pressed together, such as `["Ctrl", "K"]`. */
export function Keys({ keys }: { readonly keys: readonly string[] }): ReactNode {
  return (
    <span style={{ display: "inline-flex", gap: 3 }}>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
