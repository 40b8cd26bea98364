// Shells that report where their commands begin and end.
export { accountShell } from "../account-shell.ts";
export {
  type IntegratedShell,
  type PlainShell,
  prepareShell,
  type PreparedShell,
  removeShellFolder,
  type ShellRequest,
} from "./prepare-shell.ts";
