// Fields of forms: a label, a control, a hint or what is wrong with it.
import { type ComponentProps, type ReactNode, useId } from "react";
import control from "../style/control.module.css";
import style from "./field.module.css";

export interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  /** Renders the control with these attributes, which tie it to its label and hint. */
  readonly children: (attributes: { id: string; "aria-describedby": string | undefined }) => ReactNode;
}

export function Field({ label, hint, problem, children }: FieldProps): ReactNode {
  const id = useId();
  const words = problem ?? hint;
  const hintId = `${id}-hint`;
  return (
    <div className={style.field}>
      <label htmlFor={id} className={style.label}>
        {label}
      </label>
      {children({ id, "aria-describedby": words === undefined ? undefined : hintId })}
      {words !== undefined && (
        <p id={hintId} className={style.hint} data-problem={problem !== undefined}>
          {words}
        </p>
      )}
    </div>
  );
}

/** A text field. */
export function TextInput(props: Omit<ComponentProps<"input">, "className">): ReactNode {
  return <input {...props} className={control.field} />;
}

export interface ToggleProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly title?: string | undefined;
}

/** A setting that is on or off. */
export function Toggle({ label, isOn, onChange, title }: ToggleProps): ReactNode {
  return (
    <label className={style.toggle} title={title}>
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
