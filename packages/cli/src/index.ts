// The public face of the package: serving, for programs that bring a host of their own.
export { serve } from "./serve/serve.ts";
export type {
  HostParts,
  ListeningHost,
  ServeOptions,
  ServeOutcome,
  ServeSurroundings,
} from "./serve/serve.ts";
