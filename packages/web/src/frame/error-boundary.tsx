// Keeps a fault in one part of the page from taking the rest with it.
import { Component, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** The thing that could not be shown, such as "this message". */
  readonly what: string;
}

/** Shows its children, or what to do when they cannot be shown. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error?: Error }> {
  override readonly state: { readonly error?: Error } = {};

  /** React's way to say that a child failed. */
  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  /** The children, or the sentence. */
  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Notice
        kind="problem"
        isAlert
        title={`The page cannot show ${this.props.what}`}
        actions={
          <Button size="small" onClick={() => location.reload()}>
            Reload
          </Button>
        }
      >
        {isNotLoaded(error)
          ? "Part of the page could not be loaded. Reload the page when the host can be reached."
          : `${error.message} Nothing is lost on the host. Reload the page, especially if the host was upgraded.`}
      </Notice>
    );
  }
}

/** Whether a file of the page did not come; each browser has its own sentence, with an address in it. */
function isNotLoaded({ message }: Error): boolean {
  return /dynamically imported module|importing a module script/i.test(message);
}
