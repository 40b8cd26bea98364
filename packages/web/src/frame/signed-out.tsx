// The page of a browser that is signed out: nothing of the host's content is left on it (Z969).
import { SignOutIcon } from "@primer/octicons-react";
import { type ReactNode, useEffect } from "react";
import { useHost } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import style from "./signed-out.module.css";

export function SignedOut(): ReactNode {
  const { notices } = useHost();
  useEffect(() => notices.clear(), [notices]);
  return (
    <main className={style.page}>
      <span className={style.icon} aria-hidden="true">
        <SignOutIcon size={24} />
      </span>
      <div role="alert">
        <h1 className={style.title}>Signed out</h1>
      </div>
      <p>
        This browser was signed out, or the host&rsquo;s token has changed. Sign in with the token, or run{" "}
        <code>holdfast open</code> on the host.
      </p>
      <p className={style.detail}>Your drafts are kept in this tab.</p>
      <Button kind="primary" onClick={() => location.assign("/")}>
        Sign in
      </Button>
    </main>
  );
}
