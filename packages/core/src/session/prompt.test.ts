// The conversion of a message and its attachments: blocks for the agent, and a record of what was sent.
import { expect, test } from "vitest";
import { buildMessagePrompt, buildPrompt, describeAttachments } from "./prompt.ts";

const attach = (mime: string, content: string): { contentString: string; mime: string } => ({
  contentString: `data:${mime};base64,${Buffer.from(content).toString("base64")}`,
  mime,
});
const agent = (promptCapabilities: object): Parameters<typeof buildPrompt>[1] => ({
  protocolVersion: 1,
  agentCapabilities: { promptCapabilities },
});
const all = agent({ image: true, audio: true, embeddedContext: true });
const base64 = (text: string): string => Buffer.from(text).toString("base64");

test("[N50] pictures and sounds are separate blocks, whatever the case of their type", () => {
  const attachments = [attach("image/png", "p"), attach("Audio/WAV", "w")];
  expect(buildPrompt({ message: "look", attachments }, all)).toEqual([
    { type: "text", text: "look" },
    { type: "image", data: base64("p"), mimeType: "image/png" },
    { type: "audio", data: base64("w"), mimeType: "Audio/WAV" },
  ]);
});

test.each([
  ["text/plain", "héllo"],
  ["text/markdown; charset=utf-8", "# Title"],
  ["application/json", "{}"],
  ["application/ld+json", "{}"],
])("[N50] text of type %s is given as text", (mime, text) => {
  expect(buildPrompt({ message: "", attachments: [attach(mime, text)] }, all)).toEqual([
    { type: "resource", resource: { uri: "attachment:///0", text, mimeType: mime } },
  ]);
});

test("[N50] an attachment that is no text, or only claims to be, is given as bytes", () => {
  const latin = Buffer.from([0xff, 0xfe, 0x80]).toString("base64");
  const attachments = [
    attach("application/pdf", "pdf"),
    { contentString: `data:text/plain;base64,${latin}`, mime: "text/plain" },
  ];
  expect(buildPrompt({ message: "", attachments }, all)).toMatchObject([
    { resource: { blob: base64("pdf") } },
    { resource: { blob: latin } },
  ]);
});

test.each([
  ["image/png", { audio: true, embeddedContext: true }],
  ["audio/wav", { image: true, embeddedContext: true }],
  ["text/plain", { image: true, audio: true }],
  ["application/pdf", {}],
])("[N50] %s is refused by an agent that does not take it, and is named", (mime, capabilities) => {
  const attachments = [attach(mime, "x")];
  expect(() => buildPrompt({ message: "hi", attachments }, agent(capabilities))).toThrow(
    expect.objectContaining({
      code: "ACP_ATTACHMENT_NOT_SUPPORTED",
      message: expect.stringContaining(`${mime}. Leave attachment 1 out`) as string,
    }) as Error,
  );
});

test("[N51] attachments are kept with the message, with their data where that is small", () => {
  expect(describeAttachments({ message: "hi" })).toBeUndefined();
  expect(describeAttachments({ message: "hi", attachments: [attach("text/plain", "hello")] })).toEqual([
    {
      type: "embeddedResource",
      label: "Attachment 1: text/plain, 5 bytes",
      data: base64("hello"),
      contentType: "text/plain",
    },
  ]);
});

test("[N51] of attachments above 256 KiB together, only type and size are kept", () => {
  const attachments = [attach("image/png", "x".repeat(150_000)), attach("image/png", "x".repeat(60_000))];
  expect(describeAttachments({ message: "", attachments: attachments.slice(0, 1) })).toMatchObject([
    { type: "embeddedResource" },
  ]);
  expect(describeAttachments({ message: "", attachments })).toEqual([
    { type: "simple", label: "Attachment 1: image/png, 150000 bytes" },
    { type: "simple", label: "Attachment 2: image/png, 60000 bytes" },
  ]);
});

test("[N880] an attachment whose data is not kept cannot be sent again, and is named", () => {
  const small = attach("text/plain", "small");
  const large = attach("image/png", "x".repeat(300_000));
  const kept = describeAttachments({ message: "", attachments: [small, large] }) ?? [];
  for (const text of ["", "look"]) {
    for (const [attachments, words] of [
      [kept, "Attachment 1 (text/plain, 5 bytes) is no longer stored. Attach it again."],
      [kept.slice(1), "Attachment 2 (image/png, 300000 bytes) is no longer stored. Attach it again."],
    ] as const) {
      const error = expect.objectContaining({ code: "ACP_ATTACHMENT_NOT_STORED", message: words }) as Error;
      expect(() => buildMessagePrompt({ text, origin: { kind: "user" }, attachments }, all)).toThrow(error);
    }
  }
});

test("[N880] attachments that clients describe are sent as they are", () => {
  const attachments = [
    { type: "simple", label: "Selection" },
    { type: "simple", label: "Attachment 1: image/png, 5 bytes", modelRepresentation: "a picture" },
  ] as const;
  expect(buildMessagePrompt({ text: "look", origin: { kind: "user" }, attachments }, all)).toEqual([
    { type: "text", text: "look" },
    { type: "text", text: "a picture" },
  ]);
});

test("[N815] the text of an attachment is not run by an agent that runs messages", () => {
  const comments = { type: "simple", label: "Comments", modelRepresentation: "> notes.md" } as const;
  const message = { text: "date", origin: { kind: "user" }, attachments: [comments] } as const;
  const runs = { protocolVersion: 1, agentCapabilities: { _meta: { holdfast: { runsMessages: true } } } };
  const text = "> notes.md";
  expect(buildMessagePrompt(message, runs)).toEqual([
    { type: "text", text: "date" },
    { type: "resource", resource: { uri: "attachment:///0", mimeType: "text/plain", text } },
  ]);
  expect(buildMessagePrompt(message, all)).toEqual([
    { type: "text", text: "date" },
    { type: "text", text },
  ]);
});
