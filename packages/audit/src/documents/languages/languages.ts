import type { DocumentLanguage } from "@hostledger/core";

import { de } from "./de.ts";
import type { DocumentTexts } from "./document-texts.ts";
import { en } from "./en.ts";

/** The texts of documents by language. Another language is a file beside this one, and its name here. */
const languages: Readonly<Record<DocumentLanguage, DocumentTexts>> = { de, en };

export function textsIn(language: DocumentLanguage): DocumentTexts {
  return languages[language];
}
