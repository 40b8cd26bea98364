// One field of an agent's form.
import { useId, type ReactNode } from "react";
import type { InputQuestion, InputValue } from "@holdfast/ahp";
import control from "../style/control.module.css";
import { Picker } from "../ui/picker.tsx";
import style from "./input-form.module.css";
import { instantOf, localTime } from "./local-time.ts";

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
  const problem = choicesProblem(question, chosen.length);
  return (
    <fieldset className={style.choices}>
      <legend>
        {nameOf(question)} <Optional question={question} />
      </legend>
      {question.options.map(({ id, label, description }, index) => (
        <label key={id} className={style.flag} title={description}>
          <input
            // Browsers check only fields, not their group.
            ref={(field) => {
              if (index === 0) field?.setCustomValidity(problem);
            }}
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

/** Why a form with so many choices cannot be sent; empty if it can. */
function choicesProblem({ min = 0, required }: Of<"multi-select">["question"], count: number): string {
  const least = required === true ? Math.max(1, min) : min;
  const isLeftOut = count === 0 && required !== true;
  return isLeftOut || count >= least ? "" : `Choose at least ${least}.`;
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
};

function TextField({ question, value, onChange }: Of<"text">): ReactNode {
  const fieldId = useId();
  const text = value?.kind === "text" ? value.value : "";
  if (question.format === "date-time") {
    return (
      <Labelled question={question} fieldId={fieldId}>
        <input
          id={fieldId}
          className={control.field}
          type="datetime-local"
          // Otherwise only whole minutes are valid.
          step="any"
          required={question.required}
          value={localTime(text)}
          onChange={({ target }) => onChange({ kind: "text", value: instantOf(target.value) })}
        />
      </Labelled>
    );
  }
  return (
    <Labelled question={question} fieldId={fieldId}>
      <input
        id={fieldId}
        className={control.field}
        type={inputTypes[question.format ?? ""] ?? "text"}
        minLength={question.min}
        maxLength={question.max}
        required={question.required}
        value={text}
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
