import { electronicFormatIBAN, isValidIBAN } from "ibantools";

import { parsed, unparsable, type Parsed } from "../kernel/result.ts";

/** Reads an IBAN (ISO 13616): country, check digits, and the form of its country. @returns it without spaces */
export function parseIban(text: string): Parsed<string> {
  const iban = electronicFormatIBAN(text) ?? "";
  return isValidIBAN(iban)
    ? parsed(iban)
    : unparsable("must be an IBAN with correct check digits, such as DE89370400440532013000");
}
