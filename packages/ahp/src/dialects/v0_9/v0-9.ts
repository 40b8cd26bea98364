// AHP 0.9: as 1.0, before chats had flags of their own and background work.
import type { ChatStyle } from "../ahp/chat-style.ts";
import type { Dialect } from "../dialect.ts";
import { chatStyle } from "../v1_0/chat.ts";
import { makeDialect } from "../v1_0/make-dialect.ts";

/** How 0.9 writes chats. */
export const v0_9ChatStyle: ChatStyle = {
  ...chatStyle,
  hasIsRead: false,
  hasIsArchived: false,
  hasBackgroundWork: false,
};

/** AHP 0.9. */
export const v0_9: Dialect = makeDialect("v0_9", v0_9ChatStyle);
