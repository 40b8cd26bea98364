// The public face of @holdfast/agent-shell: the agent, for a program that serves it, and the program itself.
export { ShellAgent } from "./agent.ts";
export type { ShellAgentOptions } from "./agent.ts";
export { shellProgramPath } from "./program-path.ts";
export { VERSION } from "./version.ts";
