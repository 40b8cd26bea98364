// Keeps a fault in one part of the page from taking the rest with it.
import { Component, type ReactNode } from "react";
import { useHost } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** The thing that could not be shown, such as "this message". */
  readonly what: string;
  /** Called with what to do, for children in whose place there is no room for it. */
  readonly onError?: (text: string) => void;
}

/** Shows its children, or what to do when they cannot be shown. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error?: Error }> {
  override readonly state: { readonly error?: Error } = {};

  /** React's way to say that a child failed. */
  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  /** Reports what to do. */
  override componentDidCatch(error: Error): void {
    this.props.onError?.(`The page cannot show ${this.props.what}. ${remedyOf(error)}`);
  }

  /** The children, or the sentence. */
  override render(): ReactNode {
    const { children, what, onError } = this.props;
    const { error } = this.state;
    if (error === undefined) return children;
    if (onError !== undefined) return null;
    return (
      <Notice
        kind="problem"
        isAlert
        title={`The page cannot show ${what}`}
        actions={
          <Button size="small" onClick={() => location.reload()}>
            Reload
          </Button>
        }
      >
        {remedyOf(error)}
      </Notice>
    );
  }
}

interface NoticeBoundaryProps extends Omit<ErrorBoundaryProps, "onError"> {
  /** Called when they cannot be shown. */
  readonly onFailed?: () => void;
}

/** Shows its children, or nothing and a notice above the place that is looked at: for dialogs and small controls. */
export function NoticeBoundary({ children, what, onFailed }: NoticeBoundaryProps): ReactNode {
  const { notices } = useHost();
  const report = (text: string): void => {
    notices.say("problem", text);
    onFailed?.();
  };
  return (
    <ErrorBoundary what={what} onError={report}>
      {children}
    </ErrorBoundary>
  );
}

function remedyOf(error: Error): string {
  return isNotLoaded(error)
    ? "Part of the page could not be loaded. Reload the page when the host can be reached."
    : `${error.message} Nothing is lost on the host. Reload the page, especially if the host was upgraded.`;
}

/** Whether a file of the page did not come; each browser has its own sentence, with an address in it. */
function isNotLoaded({ message }: Error): boolean {
  return /dynamically imported module|importing a module script/i.test(message);
}
