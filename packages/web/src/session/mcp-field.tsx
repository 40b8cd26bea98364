// The choice of MCP servers for a new session, where the host has any.
import type { ReactNode } from "react";
import style from "./new-session-dialog.module.css";

/** What there is, and what is chosen of it. */
export interface McpFieldProps {
  readonly offered: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A box for each server; nothing where there is none. */
export function McpField({ offered, chosen, onChange }: McpFieldProps): ReactNode {
  if (offered.length === 0) return null;
  return (
    <fieldset className={style.servers}>
      <legend>MCP servers</legend>
      {offered.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
            }
          />{" "}
          {name}
        </label>
      ))}
    </fieldset>
  );
}
