import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

/**
 * Makes the program that it is loaded into a later version: documents have another layout and template version, and other XML.
 * For `node --import`, before a program that runs from its sources.
 */
const changes: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  "/core/src/account/document-terms.ts": [["templateVersion = 1;", "templateVersion = 2;"]],
  "/documents/pdf/document-layout.ts": [
    ["{ 1: firstTemplate }", "{ 1: firstTemplate, 2: firstTemplate }"],
    ["fontSize: 18", "fontSize: 28"],
  ],
  "/documents/einvoice/cii.ts": [["plain(invoice.number)", "`upgraded ${plain(invoice.number)}`"]],
};

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const found = Object.entries(changes).find(([file]) => url.endsWith(file));
    if (found === undefined) return loaded;
    let source = readFileSync(new URL(url), "utf8");
    for (const [before, after] of found[1]) {
      if (!source.includes(before)) throw new Error(`${url} does not contain ${before}`);
      source = source.replaceAll(before, after);
    }
    return { ...loaded, source };
  },
});
