// How the page is built: from source, into dist/page, with a hash in the name of every file but the first.
import react from "@vitejs/plugin-react";
import { createLogger, defineConfig } from "vite";

// Tests build the page as well, and what they set here would put React's own checks into it.
process.env["NODE_ENV"] = "production";

// The plugin for CSS modules that Vite itself brings causes this warning; nobody here can act on it.
const customLogger = createLogger("warn");
const warnOnce = customLogger.warnOnce.bind(customLogger);
customLogger.warnOnce = (message, options) => {
  if (!message.includes("did not pass the `from` option")) warnOnce(message, options);
};

/** The build. */
export default defineConfig({
  root: import.meta.dirname,
  customLogger,
  plugins: [react()],
  resolve: { conditions: ["@holdfast/source", "module", "browser", "production"] },
  // A worker of modules fetches only the grammar that it needs.
  worker: { format: "es" },
  build: {
    outDir: "dist/page",
    emptyOutDir: true,
    target: "es2023",
    assetsDir: "assets",
    // The page may run no code that is written into it, so nothing is put inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A slow machine is no fault of the page.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});
