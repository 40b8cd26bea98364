// The field for the model of a new session: any name, with those offered that the agent told of before.
import { useId, type ReactNode } from "react";
import control from "../style/control.module.css";
import type { AgentModel } from "./agent-catalogue.ts";
import style from "./new-session-dialog.module.css";

/** The model so far, and what can be offered. */
export interface ModelFieldProps {
  readonly model: string;
  readonly offered: readonly AgentModel[];
  readonly onChange: (model: string) => void;
}

/** The field. */
export function ModelField({ model, offered, onChange }: ModelFieldProps): ReactNode {
  const listId = useId();
  return (
    <label className={style.label}>
      Model
      <input
        className={control.field}
        list={listId}
        value={model}
        placeholder="the agent's own choice"
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {offered.map(({ id, name }) => (
          <option key={id} value={id} label={name} />
        ))}
      </datalist>
    </label>
  );
}
