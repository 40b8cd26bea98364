import { defineConfig } from "vitest/config";
const conditions = ["@holdfast/source"];
export default defineConfig({
  root: "/work/main",
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ["packages/ahp/src/**/*.test.ts"], pool: "forks" },
});
