// Entry point of the package: serving, for programs that bring their own host.
export { serve } from "./serve/serve.ts";
export type { HostParts, ListeningHost, ServeOptions, ServeOutcome, ServeContext } from "./serve/serve.ts";
