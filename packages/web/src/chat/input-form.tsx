// A question of an agent as a form.
import {
  type ChatUri,
  type InputAnswer,
  type InputAnswers,
  type InputQuestion,
  type InputRequestPart,
  type InputValue,
  makeId,
} from "@holdfast/ahp";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { AnswerState } from "../approval/answer-state.tsx";
import { useHost, useIsReachable } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import style from "./input-form.module.css";
import { localTime } from "./local-time.ts";
import { QuestionField } from "./question-field.tsx";

/** Values of unanswered forms, by chat and request: a row out of sight, and a view that was left, lose their state. */
const filledIn = new Map<string, FormValues>();

interface InputFormProps {
  readonly part: InputRequestPart;
  readonly chatUri: ChatUri;
}

/** The form, or what became of it. */
export function InputForm({ part, chatUri }: InputFormProps): ReactNode {
  const host = useHost();
  const { request, response } = part;
  const isReachable = useIsReachable();
  const [isAnswered, setIsAnswered] = useState(false);
  const questions = request.questions ?? [];
  const place = `${chatUri} ${request.id}`;
  const [values, setValues] = useState<FormValues>(() => filledIn.get(place) ?? firstValues(questions));
  const fillIn = (changed: FormValues): void => {
    filledIn.set(place, changed);
    setValues(changed);
  };
  if (response !== undefined) {
    return (
      <p className={style.done}>
        {request.message ?? "A question"} · {response.response === "accept" ? "answered" : response.response}
      </p>
    );
  }
  const end = async (answer: "accept" | "decline"): Promise<void> => {
    if (!isReachable || isAnswered) return;
    setIsAnswered(true);
    const action = {
      type: "chat/inputCompleted",
      requestId: request.id,
      response: answer,
      by: { kind: "client", clientId: makeId("client", host.clientId) },
      ...(answer === "accept" && { answers: readAnswers(questions, values) }),
    } as const;
    const outcome = host.channel(chatUri, "chat").dispatch(action, { isHidden: true });
    if (await host.reportRejection(outcome)) filledIn.delete(place);
    else setIsAnswered(false);
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    void end("accept");
  };
  return (
    <form className={style.form} aria-label="Question from the agent" onSubmit={submit}>
      {request.message !== undefined && <p className={style.message}>{request.message}</p>}
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
          onChange={(value) => fillIn({ ...values, [question.id]: value })}
        />
      ))}
      <div className={style.buttons}>
        <Button type="submit" kind="primary" disabled={!isReachable || isAnswered}>
          Answer
        </Button>
        <Button disabled={!isReachable || isAnswered} onClick={() => void end("decline")}>
          Decline
        </Button>
      </div>
      <AnswerState isAnswered={isAnswered} />
    </form>
  );
}

interface FormValues {
  readonly [questionId: string]: InputValue;
}

/** The initial values of the fields. */
function firstValues(questions: readonly InputQuestion[]): FormValues {
  return Object.fromEntries(
    questions.flatMap((question) => {
      const value = firstValue(question);
      return value === undefined ? [] : [[question.id, value] as const];
    }),
  );
}

/** The answers; what was left empty is skipped. */
function readAnswers(questions: readonly InputQuestion[], values: FormValues): InputAnswers {
  return Object.fromEntries(questions.map(({ id }) => [id, answerOf(values[id])]));
}

function answerOf(value: InputValue | undefined): InputAnswer {
  return value === undefined || isEmpty(value) ? { state: "skipped" } : { state: "submitted", value };
}

function isEmpty(value: InputValue): boolean {
  switch (value.kind) {
    case "text":
    case "selected":
      return value.value === "";
    case "number":
      return Number.isNaN(value.value);
    case "selected-many":
      return value.value.length === 0;
    default:
      return false;
  }
}

function firstValue(question: InputQuestion): InputValue | undefined {
  switch (question.kind) {
    case "text": {
      const { defaultValue, format } = question;
      // A field that looks empty is sent as empty.
      const isShown =
        defaultValue !== undefined && (format !== "date-time" || localTime(defaultValue) !== "");
      return isShown ? { kind: "text", value: defaultValue } : undefined;
    }
    case "number":
    case "integer":
      return question.defaultValue === undefined
        ? undefined
        : { kind: "number", value: question.defaultValue };
    case "boolean":
      return { kind: "boolean", value: question.defaultValue ?? false };
    case "single-select": {
      const recommended = question.options.find((option) => option.recommended === true);
      return recommended && { kind: "selected", value: recommended.id };
    }
    case "multi-select":
      return {
        kind: "selected-many",
        value: question.options.filter(({ recommended }) => recommended === true).map(({ id }) => id),
      };
  }
}
