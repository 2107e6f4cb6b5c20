import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";

import pdfmake from "pdfmake";

/** The fonts that pdfmake brings: Latin, Greek and Cyrillic letters. */
const home = dirname(createRequire(import.meta.url).resolve("pdfmake/package.json"));
const fonts = join(home, "fonts", "Roboto");

pdfmake.setFonts({
  Roboto: { normal: join(fonts, "Roboto-Regular.ttf"), bold: join(fonts, "Roboto-Medium.ttf") },
});
// A document is made of its own figures and these fonts: nothing else is read, and nothing is fetched.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => path.startsWith(fonts + sep));

/** What pdfmake makes a file of. */
export type PageLayout = Parameters<typeof pdfmake.createPdf>[0];

/** Makes the PDF in this thread, which answers nothing else meanwhile. The same layout is the same bytes. */
export function makePdf(layout: PageLayout): Promise<Uint8Array> {
  return pdfmake.createPdf(layout).getBuffer();
}
