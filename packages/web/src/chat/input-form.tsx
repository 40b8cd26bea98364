// A question of an agent as a form.
import { useState, type ReactNode, type SyntheticEvent } from "react";
import {
  makeId,
  type ChatUri,
  type InputQuestion,
  type InputRequestPart,
  type InputValue,
} from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { firstValues, readAnswers, type FormValues } from "./input-answers.ts";
import style from "./input-form.module.css";

/** The question, and where it stands. */
export interface InputFormProps {
  readonly part: InputRequestPart;
  readonly chatUri: ChatUri;
}

/** The form, or what became of it. */
export function InputForm({ part, chatUri }: InputFormProps): ReactNode {
  const host = useHost();
  const { request, response } = part;
  const questions = request.questions ?? [];
  const [values, setValues] = useState<FormValues>(() => firstValues(questions));
  if (response !== undefined) {
    return (
      <p className={style.done}>
        {request.message ?? "A question"} · {response.response === "accept" ? "answered" : response.response}
      </p>
    );
  }
  const end = (answer: "accept" | "decline"): void => {
    void host.heed(
      host.channel(chatUri, "chat").dispatch({
        type: "chat/inputCompleted",
        requestId: request.id,
        response: answer,
        by: { kind: "client", clientId: makeId("client", host.clientId) },
        ...(answer === "accept" && { answers: readAnswers(questions, values) }),
      }),
    );
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    end("accept");
  };
  return (
    <form className={style.form} aria-label="A question of the agent" onSubmit={submit}>
      {request.message !== undefined && <p>{request.message}</p>}
      {request.url !== undefined && (
        <a href={request.url} target="_blank" rel="noopener noreferrer">
          {request.url}
        </a>
      )}
      {questions.map((question) => (
        <QuestionField
          key={question.id}
          question={question}
          value={values[question.id]}
          onChange={(value) => setValues({ ...values, [question.id]: value })}
        />
      ))}
      <div className={style.buttons}>
        <button type="submit" className={control.primary}>
          Answer
        </button>
        <button type="button" className={control.button} onClick={() => end("decline")}>
          Decline
        </button>
      </div>
    </form>
  );
}

interface QuestionFieldProps {
  readonly question: InputQuestion;
  readonly value: InputValue | undefined;
  readonly onChange: (value: InputValue) => void;
}

function QuestionField({ question, value, onChange }: QuestionFieldProps): ReactNode {
  const name = question.title ?? question.message;
  if (question.kind === "boolean") {
    return (
      <label className={style.flag}>
        <input
          type="checkbox"
          checked={value?.kind === "boolean" && value.value}
          onChange={(event) => onChange({ kind: "boolean", value: event.target.checked })}
        />
        {name}
      </label>
    );
  }
  if (question.kind === "multi-select") {
    const chosen = value?.kind === "selected-many" ? value.value : [];
    return (
      <fieldset className={style.choices}>
        <legend>{name}</legend>
        {question.options.map(({ id, label }) => (
          <label key={id} className={style.flag}>
            <input
              type="checkbox"
              checked={chosen.includes(id)}
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
  return (
    <label className={style.label}>
      {name}
      {question.kind === "single-select" ? (
        <select
          className={control.field}
          required={question.required}
          value={value?.kind === "selected" ? value.value : ""}
          onChange={(event) => onChange({ kind: "selected", value: event.target.value })}
        >
          <option value="">choose</option>
          {question.options.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      ) : (
        <input
          className={control.field}
          type={question.kind === "text" ? "text" : "number"}
          step={question.kind === "integer" ? 1 : "any"}
          required={question.required}
          value={value?.kind === "text" || value?.kind === "number" ? value.value : ""}
          onChange={({ target }) =>
            onChange(
              question.kind === "text"
                ? { kind: "text", value: target.value }
                : { kind: "number", value: target.valueAsNumber },
            )
          }
        />
      )}
    </label>
  );
}
