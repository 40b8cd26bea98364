// The design system on one page, for development: `npx vite packages/web`, then /design.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { startTheme } from "../frame/theme.tsx";
import { DesignPage } from "./design-page.tsx";

startTheme();
const place = document.getElementById("page");
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <DesignPage />
    </StrictMode>,
  );
}
