// A plan of an agent with how far it has come.
import type { ReactNode } from "react";
import type { Plan } from "@holdfast/ahp";
import style from "./conversation.module.css";
import { MarkdownText } from "./markdown-text.tsx";

const signs: Readonly<Record<string, string>> = { completed: "✓", in_progress: "▸", pending: "·" };

/** The plan. */
export function PlanView({ plan }: { readonly plan: Plan }): ReactNode {
  if (plan.kind === "markdown") {
    return (
      <section className={style.plan} aria-label="Plan">
        <MarkdownText text={plan.content} />
      </section>
    );
  }
  const done = plan.entries.filter(({ status }) => status === "completed").length;
  const words = `${done} of ${plan.entries.length} steps done`;
  return (
    <section className={style.plan} aria-label="Plan">
      <div className={style.planHead}>
        <span aria-hidden="true">{words}</span>
        <progress max={plan.entries.length} value={done} aria-label={words} />
      </div>
      <ol>
        {plan.entries.map(({ content, status }, index) => (
          <li key={index} data-status={status}>
            <span aria-hidden="true">{signs[status] ?? "·"}</span>
            <span className={style.step}>{content}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
