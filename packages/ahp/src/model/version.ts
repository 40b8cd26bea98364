// The version of the model: stored rows and the handshake of our own clients carry it.

/** The version of the states and actions in this folder; it grows when an old row needs translating to be read. */
export const MODEL_VERSION = 1;
