// Annotations: comments on the files of a session, each with its replies.
import type { JsonObject, Uri } from "../json.ts";
import { count, flag, jsonObject, list, object, oneOf, optional, text } from "../shape.ts";

/** A comment on a file, or on a range of it, as a turn left it. */
export interface Annotation {
  /** Chosen by the client that wrote it. */
  readonly id: string;
  readonly turnId: string;
  readonly resource: Uri;
  /** Absent: the whole file. */
  readonly range?: TextRange;
  readonly isResolved: boolean;
  /** The comment and its replies, oldest first; never empty. */
  readonly entries: readonly AnnotationEntry[];
  /** Members that the model has no field for, as a client wrote them. */
  readonly members?: JsonObject;
}

/** Counted from 0; the end is not part of it. */
export interface TextRange {
  readonly start: TextPosition;
  readonly end: TextPosition;
}

interface TextPosition {
  readonly line: number;
  readonly character: number;
}

/** A comment, or a reply to it. */
export interface AnnotationEntry {
  readonly id: string;
  readonly text: string;
  /** Absent: plain text. */
  readonly format?: "markdown";
  readonly members?: JsonObject;
}

/** How many comments there are, and how many with their replies. */
export interface AnnotationCounts {
  readonly annotations: number;
  readonly entries: number;
}

/** Absent when there are none. */
export function countAnnotations(annotations: readonly Annotation[] = []): AnnotationCounts | undefined {
  if (annotations.length === 0) return undefined;
  const entries = annotations.reduce((sum, each) => sum + each.entries.length, 0);
  return { annotations: annotations.length, entries };
}

const positionShape = object<TextPosition>({ line: count, character: count });

export const textRangeShape = object<TextRange>({ start: positionShape, end: positionShape });

export const annotationCountsShape = object<AnnotationCounts>({ annotations: count, entries: count });

export const annotationShape = object<Annotation>({
  id: text,
  turnId: text,
  resource: text,
  range: optional(textRangeShape),
  isResolved: flag,
  entries: list(
    object<AnnotationEntry>({
      id: text,
      text,
      format: optional(oneOf("markdown")),
      members: optional(jsonObject),
    }),
  ),
  members: optional(jsonObject),
});
