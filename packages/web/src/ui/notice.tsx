// Notices: something to know about a view, with what can be done.
import { AlertIcon, InfoIcon, StopIcon } from "@primer/octicons-react";
import type { ReactNode } from "react";
import style from "./notice.module.css";

export interface NoticeProps {
  readonly kind?: "info" | "attention" | "problem";
  readonly title?: string | undefined;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** Below the text and the actions, as wide as both. */
  readonly details?: ReactNode;
  /** `banner` spans the view; `card` stands in it. */
  readonly shape?: "card" | "banner";
  /** Read out at once. */
  readonly isAlert?: boolean;
}

const icons = { info: <InfoIcon />, attention: <AlertIcon />, problem: <StopIcon /> } as const;

export function Notice(props: NoticeProps): ReactNode {
  const { kind = "info", title, children, actions, details, shape = "card", isAlert = false } = props;
  return (
    <div className={style.notice} data-kind={kind} data-shape={shape} role={isAlert ? "alert" : undefined}>
      <span className={style.icon} aria-hidden="true">
        {icons[kind]}
      </span>
      <div className={style.text}>
        {title !== undefined && <p className={style.title}>{title}</p>}
        {children}
      </div>
      {actions !== undefined && <div className={style.actions}>{actions}</div>}
      {details !== undefined && <div className={style.details}>{details}</div>}
    </div>
  );
}
