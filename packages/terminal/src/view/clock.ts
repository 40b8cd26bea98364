// Clock of the view, replaceable so that tests of batching need not wait.

/** A timer that was started and can be called off. */
export interface ClockTimer {
  cancel(): void;
}

/** A source of time and timers. */
export interface Clock {
  /** Milliseconds on a scale that never goes backwards. */
  nowMs(): number;
  /** Calls back once after the delay; must not keep the process alive. */
  startTimer(callback: () => void, delayMs: number): ClockTimer;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  startTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
