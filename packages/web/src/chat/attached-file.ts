// Files that a person attaches to a message, read into it.
import type { Attachment } from "@holdfast/ahp";

/** The host's limit for one message, minus space for the rest of it. */
const maxFileBytes = 8 * 1024 * 1024;
/** As much of a file as shows whether it is text. */
const sampleBytes = 8 * 1024;

/** The files as attachments; rejects with a sentence for people when one is too large or cannot be read. */
export function readFiles(files: Iterable<File>): Promise<Attachment[]> {
  return Promise.all(Array.from(files, readFile));
}

async function readFile(file: File): Promise<Attachment> {
  const { name, size } = file;
  if (size > maxFileBytes) throw new Error(`${name} is larger than 8 MB. Attach a smaller file.`);
  const contentType = await contentTypeOf(file);
  const url = await readDataUrl(file);
  return {
    type: "embeddedResource",
    label: name === "" ? "picture" : name,
    data: url.slice(url.indexOf(",") + 1),
    contentType,
  };
}

/** The file's type as the browser knows it; otherwise text or bytes. */
async function contentTypeOf(file: File): Promise<string> {
  if (file.type !== "") return file.type;
  const bytes = new Uint8Array(await file.slice(0, sampleBytes).arrayBuffer());
  if (bytes.includes(0)) return "application/octet-stream";
  try {
    // The sample may end inside a character.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return "text/plain";
  } catch {
    return "application/octet-stream";
  }
}

function readDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""));
    // A folder that is dropped is a file that cannot be read.
    reader.addEventListener("error", () =>
      reject(new Error(`${file.name} cannot be read. Attach files, not folders.`)),
    );
    reader.readAsDataURL(file);
  });
}
