// Chats from AHP 0.5 to 1.0.
import { chatPhase, type BackgroundWork, type ChatState, type ChatSummary } from "../../model/chat/chat.ts";
import { showActivity } from "../ahp/turn.ts";
import { showConversation, type ChatStyle } from "../ahp/chat.ts";
import { showMessage } from "../ahp/message.ts";
import { chatMeta } from "../ahp/meta.ts";
import { chatStatus } from "../ahp/status.ts";
import type { WireChatMessage, WireConversation, WireMeta } from "../ahp/wire-chat.ts";

export interface WireChatSummary {
  readonly resource: string;
  readonly title: string;
  readonly status: number;
  readonly activity?: string;
  readonly modifiedAt: string;
}

interface WireChatState extends WireChatSummary, WireConversation {
  readonly turnsNextCursor?: string;
  readonly draft?: WireChatMessage;
  readonly backgroundWork?: readonly BackgroundWork[];
  readonly _meta?: WireMeta;
}

export function showChat(chat: ChatState, style: ChatStyle): WireChatState {
  const { resource, title, modifiedAt, turnsNextCursor, draft, backgroundWork } = chat;
  const hasWork = style.hasBackgroundWork && backgroundWork.length > 0;
  return {
    resource,
    title,
    status: chatStatus(chatPhase(chat), chat),
    activity: showActivity(chat),
    modifiedAt,
    ...showConversation(chat, style),
    turnsNextCursor: style.hasTurnsLoaded ? turnsNextCursor : undefined,
    draft: draft && showMessage(draft),
    backgroundWork: hasWork ? backgroundWork : undefined,
    _meta: chatMeta(chat),
  };
}

export function showChatSummary(chat: ChatSummary): WireChatSummary {
  const { resource, title, activity, modifiedAt, phase } = chat;
  return { resource, title, status: chatStatus(phase, chat), activity, modifiedAt };
}
