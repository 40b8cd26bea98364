// Shells that report where their commands begin and end.
export {
  type IntegratedShell,
  type PlainShell,
  prepareShell,
  type PreparedShell,
  removeShellFolder,
  type ShellRequest,
} from "./prepare-shell.ts";
