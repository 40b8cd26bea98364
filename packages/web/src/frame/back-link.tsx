// The way back to the list of sessions, which a phone shows on a page for itself.
import { ChevronLeftIcon } from "@primer/octicons-react";
import type { ReactNode } from "react";
import style from "./back-link.module.css";
import { routeHash } from "./route.ts";

export function BackLink(): ReactNode {
  return (
    <a className={style.back} href={routeHash({ place: "home" })} aria-label="Back to the sessions">
      <ChevronLeftIcon size={24} />
    </a>
  );
}
