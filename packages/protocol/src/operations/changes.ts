// Operations on the changes of a session's folder: list, read, revert, stage, unstage, commit.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation } from "../operation.ts";
import { closedObject } from "../schema.ts";
import { sessionParamsSchema } from "./session.ts";

const pathSchema = z.string().min(1).max(LIMITS.cwdLength);

const turnSchema = z
  .string()
  .min(1)
  .max(LIMITS.turnNameLength)
  .describe("A turn by its number or its id; without it, everything since the session's first turn.");

const changedFileSchema = z
  .object({
    path: z
      .string()
      .describe("Relative to the session's folder; quoted as git does where the name is not valid UTF-8."),
    oldPath: z.string().optional().describe("Where a renamed file was before."),
    status: z.enum(["added", "modified", "deleted", "renamed", "type-changed"]),
    kind: z.enum(["file", "symlink", "submodule"]),
    additions: z.int().describe("Lines added; 0 for a binary file."),
    deletions: z.int().describe("Lines removed; 0 for a binary file."),
    isBinary: z.literal(true).optional(),
    oldMode: z.string().optional().describe("The mode before, where it changed, such as 100644."),
    newMode: z.string().optional().describe("The mode now, where it changed, such as 100755."),
    staged: z
      .enum(["full", "partial"])
      .optional()
      .describe("Whether git's index has it as it is now, or an earlier state; absent where it has neither."),
    isCommitted: z.literal(true).optional().describe("The newest commit has it as it is now."),
  })
  .meta({ id: "ChangedFile", description: "A file that differs from its state at the start." });

/** A file that differs from its state at the start. */
export type ChangedFile = z.infer<typeof changedFileSchema>;

const omittedSchema = z.object({
  path: z.string(),
  reason: z
    .enum(["too-large", "too-many", "nested-repository", "not-a-file", "unreadable"])
    .describe(
      "too-large: above 8 MiB. too-many: more than 5,000 untracked files or 128 MiB. nested-repository: it has its own history. not-a-file: a FIFO, a socket or a device. unreadable: git cannot read it.",
    ),
});

/** A file that was not compared. */
export type OmittedChange = z.infer<typeof omittedSchema>;

const changeSummarySchema = z.object({
  files: z.int(),
  additions: z.int(),
  deletions: z.int(),
});

const changeListSchema = z
  .object({
    source: z
      .enum(["git", "agent"])
      .describe(
        "git: the working tree, whatever changed it. agent: what the agent reported, outside a repository.",
      ),
    reason: z
      .string()
      .optional()
      .describe("Why git cannot be asked, where the folder has a .git: what is wrong, and what to do."),
    folder: z.string().describe("The session's folder, which paths are relative to."),
    turn: z.int().optional().describe("The number of the turn that was asked for."),
    turns: z.array(z.int()).describe("The numbers of the turns that can be asked for, the newest 200."),
    summary: changeSummarySchema.describe("Of all changed files, also where the list is cut."),
    files: z.array(changedFileSchema).describe(`At most ${LIMITS.changedFiles}.`),
    omitted: z.array(omittedSchema).describe("Files that were not compared; at most 100 are listed."),
    isComplete: z.boolean().describe("False where files were omitted, or the list is cut."),
  })
  .meta({ id: "ChangeList", description: "What changed in a session's folder." });

/** The changes in a session's folder. */
export type ChangeList = z.infer<typeof changeListSchema>;

const hunkSchema = z.object({
  id: z.string().describe("Names the hunk in a revert; another content has another id."),
  oldStart: z.int(),
  oldLines: z.int(),
  newStart: z.int(),
  newLines: z.int(),
  heading: z
    .string()
    .describe("The line that git shows behind the numbers, such as a function's first line."),
  text: z.string().describe("Its lines, each with its sign: a space, + or -."),
});

/** A piece of a file's changes. */
export type ChangeHunk = z.infer<typeof hunkSchema>;

const fileDiffSchema = z
  .object({
    file: changedFileSchema,
    hunks: z.array(hunkSchema),
    isTooLarge: z.literal(true).optional().describe("The diff is left out because it is too large."),
    canReadAlone: z
      .literal(true)
      .optional()
      .describe("The diff is left out here, and can be read by a request for this file alone."),
  })
  .meta({ id: "FileDiff", description: "The changes of one file, by hunks." });

/** The changes of one file, by hunks. */
export type FileDiff = z.infer<typeof fileDiffSchema>;

const changeErrors = ["ACP_SESSION_NOT_FOUND", "CHANGES_UNAVAILABLE"] as const;
const writeErrors = [
  ...changeErrors,
  "CHANGES_CONFLICT",
  "CEILING_EXCEEDED",
  "INVALID_JSON",
  "BODY_TOO_LARGE",
] as const;

export const listChanges = defineOperation({
  name: "listChanges",
  method: "GET",
  path: "/sdk/acp/session/{key}/changes",
  summary: "List the files that changed in a session's folder",
  permission: "acp.agent",
  params: sessionParamsSchema,
  query: z.object({ turn: turnSchema.optional() }),
  stream: false,
  response: successSchema({ changes: changeListSchema }),
  errors: [...changeErrors],
});

export const diffChanges = defineOperation({
  name: "diffChanges",
  method: "GET",
  path: "/sdk/acp/session/{key}/changes/diff",
  summary: "Read the changes of one file or of all, by hunks",
  permission: "acp.agent",
  params: sessionParamsSchema,
  query: z.object({
    turn: turnSchema.optional(),
    path: pathSchema.optional().describe("One file, as the list names it; without it, all."),
  }),
  stream: false,
  response: successSchema({
    diffs: z.array(fileDiffSchema).readonly(),
    isComplete: z.boolean().describe("False where the diff of a file is left out."),
  }),
  errors: [...changeErrors],
});

const revertSchema = closedObject({
  turn: turnSchema.optional(),
  files: z
    .array(
      closedObject({
        path: pathSchema,
        hunks: z.array(z.string().min(1).max(64)).min(1).max(LIMITS.changedHunks).optional(),
      }),
    )
    .min(1)
    .max(LIMITS.changedFiles)
    .describe("The files to revert; with hunks, only those."),
});

/** Changes to undo. */
export type RevertRequest = z.infer<typeof revertSchema>;

export const revertChanges = defineOperation({
  name: "revertChanges",
  method: "POST",
  path: "/sdk/acp/session/{key}/changes/revert",
  summary: "Undo the changes of files or hunks in the working tree",
  permission: "acp.agent",
  params: sessionParamsSchema,
  body: revertSchema,
  stream: false,
  response: successSchema({ summary: changeSummarySchema }),
  errors: [...writeErrors],
});

const stageSchema = closedObject({
  paths: z.array(pathSchema).min(1).max(LIMITS.changedFiles).describe("Files, as the list names them."),
});

export const stageChanges = defineOperation({
  name: "stageChanges",
  method: "POST",
  path: "/sdk/acp/session/{key}/changes/stage",
  summary: "Add files to git's index",
  permission: "acp.agent",
  params: sessionParamsSchema,
  body: stageSchema,
  stream: false,
  response: successSchema({}),
  errors: [...writeErrors],
});

export const unstageChanges = defineOperation({
  name: "unstageChanges",
  method: "POST",
  path: "/sdk/acp/session/{key}/changes/unstage",
  summary: "Take files out of git's index, as the newest commit has them",
  permission: "acp.agent",
  params: sessionParamsSchema,
  body: stageSchema,
  stream: false,
  response: successSchema({}),
  errors: [...writeErrors],
});

const commitSchema = closedObject({
  message: z.string().min(1).max(LIMITS.commitMessageLength),
  paths: z
    .array(pathSchema)
    .min(1)
    .max(LIMITS.changedFiles)
    .optional()
    .describe("Files to stage first; without them, what is staged is committed."),
});

/** A commit to make. */
export type CommitRequest = z.infer<typeof commitSchema>;

export const commitChanges = defineOperation({
  name: "commitChanges",
  method: "POST",
  path: "/sdk/acp/session/{key}/changes/commit",
  summary: "Commit what is staged, without hooks and unsigned",
  permission: "acp.agent",
  params: sessionParamsSchema,
  body: commitSchema,
  stream: false,
  response: successSchema({ commit: z.string().describe("The id of the new commit.") }),
  errors: [...writeErrors],
});
