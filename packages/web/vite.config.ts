// How the page is built: from source, into dist/page, with a hash in the name of every file but the first.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The build. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ["@holdfast/source", "module", "browser", "production"] },
  build: {
    outDir: "dist/page",
    emptyOutDir: true,
    target: "es2023",
    assetsDir: "assets",
    // The page may run no code that is written into it, so nothing is put inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
