// Policies: rules that decide about commands, files and tool calls. Pure; runs in browsers too.
export { Policy, type Decision, type PartDecision } from "./policy.ts";
export type { RuleName } from "./compiled-rule.ts";
export type { Effect, Patterns, Rule, RuleSet, SubjectKind } from "./rule.ts";
export type { Circumstances, CommandSubject, FileSubject, Subject, ToolSubject } from "./subject.ts";
export { allowCommands, blockArguments, blockCommands, PRESETS, type PresetName } from "./presets.ts";
export { parseShellLine, type ParseOptions } from "./shell/parse-line.ts";
export type {
  Redirection,
  ShellDialect,
  ShellLine,
  ShellProblem,
  ShellWord,
  SimpleCommand,
  WordCount,
} from "./shell/shell-line.ts";
