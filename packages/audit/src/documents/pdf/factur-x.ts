import type { FrozenDocument } from "../document.ts";
import type { WrittenInvoice } from "../einvoice/cii.ts";
import type { InvoiceProfile } from "../einvoice/en16931.ts";
import type { EmbeddedFile } from "./make-pdf.ts";

/** Name of the XML in the PDF, and of its profile (Factur-X 1.07 and ZUGFeRD 2.3, 6.3). */
const names: Readonly<Record<InvoiceProfile, { readonly file: string; readonly level: string }>> = {
  en16931: { file: "factur-x.xml", level: "EN 16931" },
  xrechnung: { file: "xrechnung.xml", level: "XRECHNUNG" },
};

/** Returns the electronic invoice as the file that its PDF embeds (Factur-X, ZUGFeRD). */
export function embeddedInvoice(
  { xml, profile }: WrittenInvoice,
  { issuedAt }: FrozenDocument,
): EmbeddedFile {
  const { file, level } = names[profile];
  return {
    name: file,
    type: "text/xml",
    bytes: Buffer.from(xml),
    at: new Date(issuedAt),
    metadata: `
${facturX(file, level)}
${extensionSchema}`,
  };
}

function facturX(file: string, level: string): string {
  return `<rdf:Description rdf:about="" xmlns:fx="urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#">
  <fx:DocumentType>INVOICE</fx:DocumentType>
  <fx:DocumentFileName>${file}</fx:DocumentFileName>
  <fx:Version>${level === "XRECHNUNG" ? "3.0" : "1.0"}</fx:Version>
  <fx:ConformanceLevel>${level}</fx:ConformanceLevel>
</rdf:Description>`;
}

const properties = [
  ["DocumentFileName", "The name of the embedded XML document"],
  ["DocumentType", "The type of the hybrid document in capital letters, e.g. INVOICE or ORDER"],
  ["Version", "The actual version of the standard applying to the embedded XML document"],
  ["ConformanceLevel", "The conformance level of the embedded XML document"],
] as const;

/** PDF/A allows own properties only if the file describes them (ISO 19005-3, 6.6.2.3.2). */
const extensionSchema = `<rdf:Description rdf:about=""
    xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
    xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"
    xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
  <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
    <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
    <pdfaSchema:namespaceURI>urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#</pdfaSchema:namespaceURI>
    <pdfaSchema:prefix>fx</pdfaSchema:prefix>
    <pdfaSchema:property><rdf:Seq>
${properties
  .map(
    ([name, description]) => `      <rdf:li rdf:parseType="Resource">
        <pdfaProperty:name>${name}</pdfaProperty:name>
        <pdfaProperty:valueType>Text</pdfaProperty:valueType>
        <pdfaProperty:category>external</pdfaProperty:category>
        <pdfaProperty:description>${description}</pdfaProperty:description>
      </rdf:li>`,
  )
  .join("\n")}
    </rdf:Seq></pdfaSchema:property>
  </rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>`;
