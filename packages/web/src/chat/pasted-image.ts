// Reads pictures that were pasted or dropped.
import type { Attachment } from "@holdfast/ahp";

/** What the host takes in one message, with room for the rest of it. */
const maxImageBytes = 8 * 1024 * 1024;

/** The pictures among files, as attachments; rejects with a sentence for people when one is too large. */
export function readImages(files: Iterable<File>): Promise<Attachment[]> {
  return Promise.all([...files].filter(({ type }) => type.startsWith("image/")).map(readImage));
}

async function readImage(file: File): Promise<Attachment> {
  if (file.size > maxImageBytes) throw new Error(`${file.name} is larger than 8 MB. Make it smaller first.`);
  const url = await readDataUrl(file);
  return {
    type: "embeddedResource",
    label: file.name === "" ? "picture" : file.name,
    data: url.slice(url.indexOf(",") + 1),
    contentType: file.type,
  };
}

function readDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""));
    reader.addEventListener("error", () => reject(new Error(`${file.name} cannot be read.`)));
    reader.readAsDataURL(file);
  });
}
