// Annotations as text for an agent: all that a message refers to become part of that one message.
import { fileURLToPath } from "node:url";
import { type Annotation, type Attachment, type Message, annotationsUri } from "@holdfast/ahp";

/** A message in which each attachment that refers to a session's annotations says what they are (E788). */
export function withAnnotationText(
  message: Message,
  session: string,
  annotations: readonly Annotation[] = [],
): Message {
  const { attachments } = message;
  if (attachments?.some((each) => each.members?.["type"] === "annotations") !== true) return message;
  return {
    ...message,
    attachments: attachments.map((each) => describe(each, annotationsUri(session), annotations)),
  };
}

function describe(attachment: Attachment, channel: string, annotations: readonly Annotation[]): Attachment {
  const { members } = attachment;
  if (attachment.type !== "simple" || members?.["type"] !== "annotations") return attachment;
  if (members["resource"] !== channel) return attachment;
  const { annotationIds: ids } = members;
  // Without ids all that are open are meant.
  const chosen = annotations.filter(({ id, isResolved }) =>
    Array.isArray(ids) ? ids.includes(id) : !isResolved,
  );
  return { ...attachment, modelRepresentation: textOf(chosen) };
}

function textOf(annotations: readonly Annotation[]): string {
  if (annotations.length === 0) return "There are no open review comments.";
  const comments = annotations.map((each) => {
    const entries = each.entries.map(({ text }) => text.trim());
    return `${placeOf(each)}\n${entries.join("\n")}`;
  });
  return ["Review comments:", ...comments].join("\n\n");
}

/** A path with lines counted from 1, as compilers write it. */
function placeOf({ resource, range }: Annotation): string {
  const file = pathOf(resource);
  if (range === undefined) return file;
  const first = range.start.line + 1;
  // A range that ends at the start of a line does not reach into it.
  const endsBefore = range.end.character === 0 && range.end.line > range.start.line;
  const last = endsBefore ? range.end.line : range.end.line + 1;
  return last > first ? `${file}:${first}-${last}` : `${file}:${first}`;
}

function pathOf(uri: string): string {
  if (!uri.startsWith("file:")) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    // A file of another machine.
    return uri;
  }
}
