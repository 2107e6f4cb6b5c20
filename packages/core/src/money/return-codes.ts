import { z } from "zod";

/**
 * Code by which a bank says why it returned a transfer (ISO 20022, ExternalReturnReason1Code); empty if it names none. The bank's own
 * words are not stored, because they may name a person.
 */
export const returnCode = z.string().regex(/^([A-Z0-9]{1,4})?$/);

/** Returns true for a code, or an empty text. */
export function isReturnCode(text: string): boolean {
  return returnCode.safeParse(text).success;
}

/** Codes of SEPA transfers that the customer may be shown, in our words. */
const meanings: Readonly<Record<string, string>> = {
  AC01: "the account number is wrong",
  AC04: "the account is closed",
  AC06: "the account is blocked",
  AG01: "the account takes no transfers",
  AM05: "it was sent twice",
  BE04: "the address of its recipient is missing",
  FOCR: "it was called back",
  MS02: "its recipient refused it",
  RC01: "the bank is not known",
};

/** Returns the code at the beginning of a bank's words; empty without one. */
export function returnCodeIn(words: string): string {
  return /^[A-Z0-9]{4}(?= |$)/.exec(words)?.[0] ?? "";
}

/** Returns a sentence about a returned transfer. @param code empty if the bank named none */
export function sentenceOfReturn(code: string): string {
  if (code === "") return "The bank returned the transfer.";
  const meaning = meanings[code];
  return meaning === undefined
    ? `The bank returned the transfer (${code}).`
    : `The bank returned the transfer: ${meaning} (${code}).`;
}
