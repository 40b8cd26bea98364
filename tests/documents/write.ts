// Regenerates the generated parts of the documents: npm run documents
import { writeFileSync } from "node:fs";
import path from "node:path";
import { readDocument, root, withGeneratedPart } from "./document.ts";
import { generatedTables } from "./generated-table.ts";

for (const { document, name, write } of generatedTables) {
  const text = withGeneratedPart(readDocument(document), name, write());
  writeFileSync(path.join(root, document), text);
}
console.log(`${generatedTables.length} parts written`);
