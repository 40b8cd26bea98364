// A section of the host page: a heading, a sentence about it, and its content.
import type { ReactNode } from "react";
import style from "./host-page.module.css";

interface SectionProps {
  readonly title: string;
  readonly text?: ReactNode;
  /** Buttons beside the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, text, actions, children }: SectionProps): ReactNode {
  return (
    <section className={style.section} aria-label={title}>
      <div className={style.sectionHead}>
        <h2>{title}</h2>
        {actions}
      </div>
      {text !== undefined && <p className={style.hint}>{text}</p>}
      {children}
    </section>
  );
}

/** A list of things, each a row: what it is, facts about it, and what can be done with it. */
export function Rows({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <ul className={style.rows} aria-label={label}>
      {children}
    </ul>
  );
}

interface RowProps {
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  readonly actions?: ReactNode;
  /** Below the row, over its whole width. */
  readonly children?: ReactNode;
}

export function Row({ title, detail, actions, children }: RowProps): ReactNode {
  return (
    <li className={style.row}>
      <div className={style.rowWords}>
        <div className={style.rowTitle}>{title}</div>
        {detail !== undefined && <div className={style.hint}>{detail}</div>}
      </div>
      {actions !== undefined && <div className={style.rowActions}>{actions}</div>}
      {children !== undefined && <div className={style.rowMore}>{children}</div>}
    </li>
  );
}
