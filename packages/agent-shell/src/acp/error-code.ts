// The error code that ACP adds to those of JSON-RPC and that this agent has a use for.

/** A session or file that is asked for is not there. */
export const RESOURCE_NOT_FOUND = -32002;
