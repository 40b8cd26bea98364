// The subject of an approval: the command, the change or the file itself, who runs it, and the agent's words beside it.
import type { Approval, ApprovalSubject, SubjectDiff, SubjectFile } from "@holdfast/ahp";
import { AlertIcon } from "@primer/octicons-react";
import type { ReactNode } from "react";
import style from "./approval-card.module.css";
import { visibleText } from "./visible-text.ts";

export function SubjectView({ approval }: { readonly approval: Approval }): ReactNode {
  const { subject, target, source, agentTitle } = approval;
  return (
    <>
      {subject === undefined || subject.kind === "other" ? (
        <Target text={target} />
      ) : (
        <Described subject={subject} target={target} />
      )}
      {agentTitle !== undefined && agentTitle !== target && (
        <p className={style.detail}>
          The agent says: <q className={style.words}>{visibleText(agentTitle)}</q>
        </p>
      )}
      {source === "host" && <p className={style.detail}>The host runs this and enforces your decision.</p>}
      {source === "agent" && (
        <p className={style.notEnforced}>
          <AlertIcon />
          The agent runs this itself. The host cannot enforce your decision.
        </p>
      )}
    </>
  );
}

function Target({ text }: { readonly text: string }): ReactNode {
  return (
    <pre className={style.target} tabIndex={0} aria-label="What would be done">
      {visibleText(text)}
    </pre>
  );
}

interface DescribedProps {
  readonly subject: Exclude<ApprovalSubject, { readonly kind: "other" }>;
  readonly target: string;
}

function Described({ subject, target }: DescribedProps): ReactNode {
  if (subject.kind !== "command") {
    if (subject.files.length === 0) return <Target text={target} />;
    return subject.files.map((file) => <File key={file.path} file={file} />);
  }
  const { environment, program, isolation } = subject;
  return (
    <>
      <Target text={target} />
      {environment.length > 0 && (
        <p className={style.detail}>
          With a changed environment:{" "}
          {environment.map(({ name, value }) => (
            <code key={name} className={style.variable}>
              {visibleText(value === undefined ? `${name} unset` : `${name}=${value}`)}
            </code>
          ))}
        </p>
      )}
      {(program !== undefined || isolation !== undefined) && (
        <p className={style.detail}>
          {program !== undefined && (
            <>
              Program: <code>{visibleText(program)}</code>
            </>
          )}
          {program !== undefined && isolation !== undefined && " · "}
          {isolation !== undefined && <>Isolation: {isolation}</>}
        </p>
      )}
    </>
  );
}

function File({ file: { path, link, diff } }: { readonly file: SubjectFile }): ReactNode {
  return (
    <>
      <Target text={path} />
      {link !== undefined && (
        <p className={style.detail}>
          Named by the agent as <code>{visibleText(link)}</code>
        </p>
      )}
      {diff !== undefined && <Diff diff={diff} />}
    </>
  );
}

function Diff({ diff: { line, before, after, omittedChars } }: { readonly diff: SubjectDiff }): ReactNode {
  const lines = [...mark("-", before), ...mark("+", after)];
  return (
    <>
      <pre className={style.diff} tabIndex={0} aria-label={`Change at line ${line}`}>
        {lines.map((text, index) => (
          <span key={index} data-sign={text.charAt(0)}>
            {visibleText(text)}
            {index < lines.length - 1 && "\n"}
          </span>
        ))}
      </pre>
      {omittedChars !== undefined && <p className={style.detail}>{omittedChars} more characters</p>}
    </>
  );
}

function mark(sign: string, text: string): string[] {
  if (text === "") return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${sign} ${line}`);
}
