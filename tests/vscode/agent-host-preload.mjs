// The globals that VS Code's agent host expects from the program that starts it; loaded before it.
import { readFileSync } from "node:fs";
import path from "node:path";

const folder = process.env["HOLDFAST_VSCODE_SERVER"] ?? "";
/** @param {string} name */
const readJson = (name) => /** @type {unknown} */ (JSON.parse(readFileSync(path.join(folder, name), "utf8")));

Object.assign(globalThis, {
  _VSCODE_FILE_ROOT: path.join(folder, "out"),
  _VSCODE_NLS_MESSAGES: readJson("out/nls.messages.json"),
  _VSCODE_PACKAGE_JSON: readJson("package.json"),
  _VSCODE_PRODUCT_JSON: readJson("product.json"),
});
