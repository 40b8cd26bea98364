// One process port for several hosts: starting one takes longer than most tests.
import type { ProcessPort } from "@holdfast/terminal/port";

/** The same port for a host that closes it; the caller closes it for good. Such a host must leave it nothing to end. */
export function shareProcessPort(port: ProcessPort): ProcessPort {
  return {
    start: (request, sink) => port.start(request, sink),
    limit: (scopes) => port.limit(scopes),
    buildEnvironment: (request) => port.buildEnvironment(request),
    isolation: () => port.isolation(),
    openSandbox: (spec) => port.openSandbox(spec),
    close: () => Promise.resolve(),
  };
}
