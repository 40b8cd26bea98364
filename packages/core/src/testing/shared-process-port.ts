// A process port that many hosts of a test file share: starting one takes longer than most tests.
import { forwardTo, type ProcessPort } from "@holdfast/terminal/port";

/** The port for one of the hosts: it closes nothing, and the host must leave nothing in it to end. */
export function shareProcessPort(shared: ProcessPort): ProcessPort {
  const leave = (): Promise<void> => Promise.resolve();
  return forwardTo(shared, { detach: leave, close: leave });
}
