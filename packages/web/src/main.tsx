// Starts the page.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./frame/app.tsx";
import { ErrorBoundary } from "./frame/error-boundary.tsx";
import { startTheme } from "./frame/theme.tsx";
import { takeClientId } from "./host/client-id.ts";
import { HostConnection } from "./host/host-connection.ts";
import { HostContext } from "./host/use-host.ts";
import { applySettings } from "./stats/settings.ts";

async function start(place: HTMLElement): Promise<void> {
  startTheme();
  applySettings();
  const url = new URL("/ahp", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const host = new HostConnection(await takeClientId(), url.href);
  createRoot(place).render(
    <StrictMode>
      <HostContext value={host}>
        <ErrorBoundary what="its content">
          <App />
        </ErrorBoundary>
      </HostContext>
    </StrictMode>,
  );
}

const place = document.getElementById("page");
if (place !== null) void start(place);
