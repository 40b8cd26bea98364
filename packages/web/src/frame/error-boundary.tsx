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
        {error.message} Nothing is lost on the host. If the host was upgraded meanwhile, a reload helps.
      </Notice>
    );
  }
}
