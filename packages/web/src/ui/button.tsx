// Buttons: with words, and with an icon alone.
import type { ComponentProps, ReactNode } from "react";
import control from "../style/control.module.css";
import style from "./button.module.css";
import { Tooltip } from "./tooltip.tsx";

type ButtonKind = "primary" | "plain" | "quiet" | "danger";

export interface ButtonProps extends Omit<ComponentProps<"button">, "className"> {
  /** Whether it gets the focus when its dialog opens. */
  readonly "data-autofocus"?: boolean;
  /** `primary` at most once in a view; `quiet` beside content; `danger` only for what cannot be undone. */
  readonly kind?: ButtonKind;
  readonly size?: "medium" | "small";
  /** An icon of 16 px before the words. */
  readonly icon?: ReactNode;
}

const classes = {
  medium: { primary: control.primary, plain: control.button, quiet: control.quiet, danger: control.danger },
  small: {
    primary: `${control.primary} ${style.small}`,
    plain: control.small,
    quiet: control.smallQuiet,
    danger: control.smallDanger,
  },
} as const;

export function Button({ kind = "plain", size = "medium", icon, children, ...rest }: ButtonProps): ReactNode {
  return (
    <button type="button" {...rest} className={classes[size][kind]}>
      {icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<"button">, "className" | "children"> {
  /** Its name, shown as a tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
  /** Keys that do the same, shown in the tooltip. */
  readonly keys?: string | undefined;
  readonly kind?: "quiet" | "primary";
  readonly size?: "medium" | "small";
}

export function IconButton(props: IconButtonProps): ReactNode {
  const { label, icon, keys, kind = "quiet", size = "medium", ...rest } = props;
  return (
    <Tooltip text={label} keys={keys}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={style.icon}
        data-kind={kind}
        data-size={size}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
