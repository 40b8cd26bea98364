// One field of an agent's form.
import { useId, type ReactNode } from "react";
import type { InputQuestion, InputValue } from "@holdfast/ahp";
import control from "../style/control.module.css";
import { Picker } from "../ui/picker.tsx";
import style from "./input-form.module.css";

export interface QuestionFieldProps {
  readonly question: InputQuestion;
  readonly value: InputValue | undefined;
  readonly onChange: (value: InputValue) => void;
}

type Of<Kind extends InputQuestion["kind"]> = QuestionFieldProps & {
  readonly question: Extract<InputQuestion, { kind: Kind }>;
};

export function QuestionField({ question, ...rest }: QuestionFieldProps): ReactNode {
  switch (question.kind) {
    case "boolean":
      return <FlagField question={question} {...rest} />;
    case "multi-select":
      return <ChoicesField question={question} {...rest} />;
    case "single-select":
      return <ChoiceField question={question} {...rest} />;
    case "text":
      return <TextField question={question} {...rest} />;
    case "number":
    case "integer":
      return <NumberField question={question} {...rest} />;
  }
}

function FlagField({ question, value, onChange }: Of<"boolean">): ReactNode {
  return (
    <label className={style.flag}>
      <input
        type="checkbox"
        checked={value?.kind === "boolean" && value.value}
        onChange={(event) => onChange({ kind: "boolean", value: event.target.checked })}
      />
      {nameOf(question)}
    </label>
  );
}

function ChoicesField({ question, value, onChange }: Of<"multi-select">): ReactNode {
  const chosen = value?.kind === "selected-many" ? value.value : [];
  return (
    <fieldset className={style.choices}>
      <legend>
        {nameOf(question)} <Optional question={question} />
      </legend>
      {question.options.map(({ id, label, description }) => (
        <label key={id} className={style.flag} title={description}>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            disabled={!chosen.includes(id) && chosen.length >= (question.max ?? Infinity)}
            onChange={(event) => {
              const others = chosen.filter((each) => each !== id);
              onChange({ kind: "selected-many", value: event.target.checked ? [...others, id] : others });
            }}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

function ChoiceField({ question, value, onChange }: Of<"single-select">): ReactNode {
  const fieldId = useId();
  const chosen = value?.kind === "selected" ? value.value : "";
  const options = question.options.map(({ id, label, description }) => ({
    value: id,
    label,
    detail: description,
  }));
  const isRequired = question.required === true;
  return (
    <Labelled question={question} fieldId={fieldId}>
      <div className={style.choice}>
        <Picker
          id={fieldId}
          kind="field"
          label={nameOf(question)}
          placeholder="Choose"
          value={chosen}
          options={isRequired ? options : [{ value: "", label: "No choice" }, ...options]}
          onChange={(id) => onChange({ kind: "selected", value: id })}
        />
        {isRequired && (
          // Browsers check only native fields; this one is reported in the place of the picker.
          <input
            className={style.required}
            aria-hidden="true"
            tabIndex={-1}
            autoComplete="off"
            required
            value={chosen}
            onChange={() => undefined}
            onFocus={() => document.getElementById(fieldId)?.focus()}
          />
        )}
      </div>
    </Labelled>
  );
}

const inputTypes: Readonly<Record<string, string>> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime-local",
};

function TextField({ question, value, onChange }: Of<"text">): ReactNode {
  const fieldId = useId();
  return (
    <Labelled question={question} fieldId={fieldId}>
      <input
        id={fieldId}
        className={control.field}
        type={inputTypes[question.format ?? ""] ?? "text"}
        minLength={question.min}
        maxLength={question.max}
        required={question.required}
        value={value?.kind === "text" ? value.value : ""}
        onChange={({ target }) => onChange({ kind: "text", value: target.value })}
      />
    </Labelled>
  );
}

function NumberField({ question, value, onChange }: Of<"number" | "integer">): ReactNode {
  const fieldId = useId();
  const isNumber = value?.kind === "number" && !Number.isNaN(value.value);
  return (
    <Labelled question={question} fieldId={fieldId}>
      <input
        id={fieldId}
        className={control.field}
        type="number"
        step={question.kind === "integer" ? 1 : "any"}
        min={question.min}
        max={question.max}
        required={question.required}
        value={isNumber ? value.value : ""}
        onChange={({ target }) => onChange({ kind: "number", value: target.valueAsNumber })}
      />
    </Labelled>
  );
}

interface LabelledProps {
  readonly question: InputQuestion;
  readonly fieldId: string;
  readonly children: ReactNode;
}

/** The label stands beside its field, not around it: else a list's choices would be read out as its name. */
function Labelled({ question, fieldId, children }: LabelledProps): ReactNode {
  const { title, message } = question;
  return (
    <div className={style.question}>
      <span>
        <label htmlFor={fieldId} className={style.name}>
          {nameOf(question)}
        </label>{" "}
        <Optional question={question} />
      </span>
      {title !== undefined && title !== message && <span className={style.hint}>{message}</span>}
      {children}
    </div>
  );
}

function Optional({ question }: { readonly question: InputQuestion }): ReactNode {
  return question.required === true ? null : <span className={style.hint}>optional</span>;
}

function nameOf({ title, message }: InputQuestion): string {
  return title ?? message;
}
