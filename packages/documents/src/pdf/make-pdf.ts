import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";

import pdfmake from "pdfmake";

import type { Buyer, FrozenDocument, Seller } from "../document.ts";
import { layoutOf } from "./layout.ts";

/** The fonts that pdfmake brings: Latin, Greek and Cyrillic letters. */
const home = dirname(createRequire(import.meta.url).resolve("pdfmake/package.json"));
const fonts = join(home, "fonts", "Roboto");

pdfmake.setFonts({
  Roboto: { normal: join(fonts, "Roboto-Regular.ttf"), bold: join(fonts, "Roboto-Medium.ttf") },
});
// A document is made of its own figures and these fonts: nothing else is read, and nothing is fetched.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => path.startsWith(fonts + sep));

/** Makes the PDF in this thread, which answers nothing else meanwhile. The same document is the same bytes. */
export function makePdf(document: FrozenDocument, seller: Seller, buyer: Buyer): Promise<Uint8Array> {
  return pdfmake.createPdf(layoutOf(document, seller, buyer)).getBuffer();
}
