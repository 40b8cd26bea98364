// Annotations of a session as AHP writes them: the channel, its state, and the actions that clients dispatch.
import {
  type Annotation,
  type AnnotationCounts,
  type AnnotationEntry,
  type TextRange,
  textRangeShape,
} from "../../model/session/annotation.ts";
import { update, upsert, without } from "../../model/immutable.ts";
import { isJsonObject, type JsonValue } from "../../model/json.ts";
import type { SessionAction, SessionState } from "../../model/session/session.ts";
import { flag, jsonValue, list, object, optional, text, type Checked } from "../../model/shape.ts";
import { reader, undispatchable, withMembers, type ActionReader, type WireAction } from "./wire-action.ts";

const suffix = "/annotations";

/** The URI of a session's annotations. Editors compute exactly this string. */
export function annotationsUri(session: string): string {
  return session + suffix;
}

/** The session whose annotations a URI names; undefined when it names none. */
export function parseAnnotationsUri(uri: string): string | undefined {
  return uri.endsWith(suffix) && uri.length > suffix.length ? uri.slice(0, -suffix.length) : undefined;
}

interface WireAnnotationsSummary {
  readonly resource: string;
  readonly annotationCount: number;
  readonly entryCount: number;
}

export function showAnnotationCounts(
  session: string,
  counts: AnnotationCounts = { annotations: 0, entries: 0 },
): WireAnnotationsSummary {
  const { annotations: annotationCount, entries: entryCount } = counts;
  return { resource: annotationsUri(session), annotationCount, entryCount };
}

/** The state of a session's annotations channel. */
export function showAnnotations({ annotations = [] }: Pick<SessionState, "annotations">): object {
  return { annotations: annotations.map(showAnnotation) };
}

/** The action for an entry of the session's log; undefined when it says nothing about annotations. */
export function showAnnotationAction(
  action: { readonly type: string } | SessionAction,
): WireAction | undefined {
  if (action.type === "session/annotationSet" && "annotation" in action) {
    return { type: "annotations/set", annotation: showAnnotation(action.annotation) };
  }
  if (action.type === "session/annotationRemoved" && "id" in action) {
    return { type: "annotations/removed", annotationId: action.id };
  }
  return undefined;
}

function showAnnotation({ isResolved, entries, members, ...annotation }: Annotation): object {
  return { ...members, ...annotation, resolved: isResolved, entries: entries.map(showEntry) };
}

function showEntry({ id, text: written, format, members }: AnnotationEntry): object {
  return { ...members, id, text: format === "markdown" ? { markdown: written } : written };
}

interface WrittenEntry {
  readonly id: string;
  readonly text: JsonValue;
}

interface WrittenAnnotation {
  readonly id: string;
  readonly turnId: string;
  readonly resource: string;
  readonly range?: TextRange;
  readonly resolved?: boolean;
  readonly entries: readonly WrittenEntry[];
}

interface WrittenChanges {
  readonly annotationId: string;
  readonly turnId?: string;
  readonly resource?: string;
  readonly range?: TextRange;
  readonly resolved?: boolean;
}

const entryShape = object<WrittenEntry>({ id: text, text: jsonValue });
const annotationShape = object<WrittenAnnotation>({
  id: text,
  turnId: text,
  resource: text,
  range: optional(textRangeShape),
  resolved: optional(flag),
  entries: list(entryShape),
});
const changesShape = object<WrittenChanges>({
  annotationId: text,
  turnId: optional(text),
  resource: optional(text),
  range: optional(textRangeShape),
  resolved: optional(flag),
});

/** The change of one annotation; nothing when the action names one that is not there. */
type AnnotationChange = SessionAction | "nothing";

type Known = readonly Annotation[];

export const annotationActionReaders: { readonly [type: string]: ActionReader<Known, AnnotationChange> } = {
  "annotations/set": reader(object({ annotation: annotationShape }), ({ annotation }) => {
    const { id, turnId, resource, range, resolved = false, entries, ...members } = annotation;
    return set({
      id,
      turnId,
      resource,
      ...(range !== undefined && { range }),
      isResolved: resolved,
      entries: entries.map(readEntry),
      ...withMembers(members),
    });
  }),
  "annotations/updated": reader(changesShape, (changes, known: Known) =>
    change(known, changes.annotationId, (annotation) => ({
      ...annotation,
      ...(changes.turnId !== undefined && { turnId: changes.turnId }),
      ...(changes.resource !== undefined && { resource: changes.resource }),
      ...(changes.range !== undefined && { range: changes.range }),
      ...(changes.resolved !== undefined && { isResolved: changes.resolved }),
    })),
  ),
  "annotations/removed": reader(object({ annotationId: text }), ({ annotationId }) => ({
    type: "session/annotationRemoved",
    id: annotationId,
  })),
  "annotations/entrySet": reader(
    object({ annotationId: text, entry: entryShape }),
    ({ annotationId, entry }, known: Known) =>
      change(known, annotationId, (annotation) => ({
        ...annotation,
        entries: upsert(annotation.entries, readEntry(entry), ({ id }) => id === entry.id),
      })),
  ),
  "annotations/entryRemoved": reader(
    object({ annotationId: text, entryId: text }),
    ({ annotationId, entryId }, known: Known) =>
      change(known, annotationId, (annotation) => ({
        ...annotation,
        entries: without(annotation.entries, ({ id }) => id === entryId),
      })),
  ),
};

/** Reads an action on the annotations of a session. */
export function readAnnotationAction(action: WireAction, known: Known = []): Checked<AnnotationChange> {
  const { type } = action;
  const read = Object.hasOwn(annotationActionReaders, type) ? annotationActionReaders[type] : undefined;
  if (read !== undefined) return read(action, known);
  return { ok: false, problem: undispatchable(action) };
}

function set(annotation: Annotation): AnnotationChange {
  return { type: "session/annotationSet", annotation };
}

function change(known: Known, id: string, edit: (annotation: Annotation) => Annotation): AnnotationChange {
  const changed = update(known, (each) => each.id === id, edit);
  const annotation = changed === known ? undefined : changed.find((each) => each.id === id);
  return annotation === undefined ? "nothing" : set(annotation);
}

function readEntry({ id, text: written, ...rest }: WrittenEntry): AnnotationEntry {
  // It came over the wire, so it is JSON.
  const members = withMembers(rest);
  if (typeof written === "string") return { id, text: written, ...members };
  const { markdown } = isJsonObject(written) ? written : {};
  return { id, text: typeof markdown === "string" ? markdown : "", format: "markdown", ...members };
}
