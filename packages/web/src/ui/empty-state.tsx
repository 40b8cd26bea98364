// Empty state: what would be here, and how it comes to be.
import type { ReactNode } from "react";
import style from "./empty-state.module.css";

export interface EmptyStateProps {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps): ReactNode {
  return (
    <div className={style.empty}>
      {icon !== undefined && (
        <span className={style.icon} aria-hidden="true">
          {icon}
        </span>
      )}
      <p className={style.title}>{title}</p>
      {children !== undefined && <div className={style.text}>{children}</div>}
      {action}
    </div>
  );
}
