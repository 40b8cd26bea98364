// The text of a version of a file, fetched where it is kept elsewhere.
import { useEffect, useState } from "react";
import { ROOT_URI, type FileVersion } from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";

/** A longer file is not shown as a diff. */
const maxBytes = 1024 * 1024;

/** What is known of a version's text. */
export type FileText =
  | { readonly status: "loading" }
  | { readonly status: "known"; readonly text: string }
  | { readonly status: "unknown" };

/** The text; of no file at all it is empty. */
export function useFileText(version: FileVersion | undefined): FileText {
  const host = useHost();
  const uri = version?.kind === "ref" && (version.sizeBytes ?? 0) <= maxBytes ? version.uri : undefined;
  const [fetched, setFetched] = useState<FileText>({ status: "loading" });
  useEffect(() => {
    if (uri === undefined) return;
    host.client.request("resourceRead", { channel: ROOT_URI, uri, encoding: "utf-8" }).then(
      ({ data, encoding }) =>
        setFetched(encoding === "utf-8" ? { status: "known", text: data } : { status: "unknown" }),
      () => setFetched({ status: "unknown" }),
    );
  }, [host, uri]);
  if (version === undefined) return { status: "known", text: "" };
  if (version.kind === "text") return { status: "known", text: version.text };
  return uri === undefined ? { status: "unknown" } : fetched;
}
