// How long tests wait for a condition: a machine that others use too takes its time.
export const waiting = { timeout: 20_000 };
