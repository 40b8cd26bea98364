// A process port that passes every call on to another, for wrappers that change only some of them.
import type { ProcessPort } from "./port.ts";

/** The given port with some methods replaced. */
export function forwardTo(port: ProcessPort, replaced: Partial<ProcessPort>): ProcessPort {
  return {
    get keysInput() {
      return port.keysInput;
    },
    start: (request, sink) => port.start(request, sink),
    limit: (scopes) => port.limit(scopes),
    buildEnvironment: (request) => port.buildEnvironment(request),
    isolation: () => port.isolation(),
    openSandbox: (spec, tag) => port.openSandbox(spec, tag),
    held: () => port.held(),
    attach: (id, sink, from) => port.attach(id, sink, from),
    detach: () => port.detach(),
    close: (graceMs) => port.close(graceMs),
    ...replaced,
  };
}
