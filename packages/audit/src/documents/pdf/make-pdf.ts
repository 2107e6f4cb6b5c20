import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";

import pdfmake from "pdfmake";

/** The fonts of pdfmake: Latin, Greek and Cyrillic letters. */
const home = dirname(createRequire(import.meta.url).resolve("pdfmake/package.json"));
const fonts = join(home, "fonts", "Roboto");

pdfmake.setFonts({
  Roboto: { normal: join(fonts, "Roboto-Regular.ttf"), bold: join(fonts, "Roboto-Medium.ttf") },
});
// Allows only these fonts, no other files and no network.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => path.startsWith(fonts + sep));

export type PageLayout = Parameters<typeof pdfmake.createPdf>[0];

/** Renders a PDF and blocks this thread meanwhile. Equal layouts have equal bytes. */
export function makePdf(layout: PageLayout): Promise<Uint8Array> {
  return pdfmake.createPdf(layout).getBuffer();
}
