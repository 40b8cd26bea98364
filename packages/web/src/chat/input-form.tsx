// A question of an agent as a form.
import { useState, type ReactNode, type SyntheticEvent } from "react";
import { makeId, type ChatUri, type InputRequestPart } from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { firstValues, readAnswers, type FormValues } from "./input-answers.ts";
import style from "./input-form.module.css";
import { QuestionField } from "./question-field.tsx";

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
