// The host as ACP editors use it: the operations of the app API, and the channels and submissions of AHP.
import type { AhpPort, HostPort } from "../host-port.ts";

/** A host that has channels; one without serves no editors. */
export type AcpHost = HostPort & { readonly ahp: AhpPort };

export function hasChannels(host: HostPort): host is AcpHost {
  return host.ahp !== undefined;
}
