import pdfmake from "pdfmake";

import { fontBytes, fontFiles } from "./fonts.ts";

declare module "pdfmake" {
  /** Files that pdfmake takes before those of the disk. Its types lack them. */
  export const virtualfs: { writeFileSync(path: string, bytes: Buffer): void };
}

pdfmake.setFonts(fontFiles);
for (const [path, bytes] of fontBytes) pdfmake.virtualfs.writeFileSync(path, bytes);
// Allows no files and no network.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy(() => false);

export type PageLayout = Parameters<typeof pdfmake.createPdf>[0];

/** A file inside a PDF, with its description in the PDF's metadata. */
export interface EmbeddedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly at: Date;
  /** Elements `rdf:Description` of XMP. */
  readonly metadata: string;
}

/** Renders a PDF and blocks this thread meanwhile. Equal inputs have equal bytes. */
export async function makePdf(layout: PageLayout, file?: EmbeddedFile): Promise<Uint8Array> {
  const output = pdfmake.createPdf(layout);
  if (file !== undefined) {
    const pdf = await output.getStream();
    const { name, type, bytes, at, metadata } = file;
    // Another form of the same document (ISO 19005-3, 6.8). The types of pdfkit lack `relationship`.
    const options = { name, type, relationship: "Alternative", creationDate: at, modifiedDate: at };
    pdf.file(bytes, options);
    pdf.appendXML(metadata);
  }
  return output.getBuffer();
}
