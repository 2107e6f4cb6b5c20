import { formatEuros, type Cents } from "../money/money.ts";
import { firstCharacters } from "../kernel/values.ts";

export interface TransferDetails {
  readonly name: string;
  readonly iban: string;
  /** BIC of the bank; empty leaves it to the payer's bank, which knows it within the European Economic Area. */
  readonly bic?: string;
  /** Creditor reference (ISO 11649). */
  readonly reference: string;
  /** Cents (EUR), above zero; undefined lets the payer choose. */
  readonly amountCents?: Cents | undefined;
}

/** Maximum characters of a creditor's name in SEPA. */
const longestName = 70;

/**
 * Returns the content of a QR code from which banking apps fill in a SEPA credit transfer ("GiroCode"; EPC069-12, version 002, in
 * which the BIC may be absent). Draw it with error correction level M.
 */
export function epcQr({ name, iban, bic = "", reference, amountCents }: TransferDetails): string {
  const [inUtf8, purpose] = ["1", ""];
  const amount = amountCents === undefined ? "" : `EUR${formatEuros(amountCents)}`;
  const creditor = firstCharacters(name, longestName);
  return ["BCD", "002", inUtf8, "SCT", bic, creditor, iban, amount, purpose, reference].join("\n");
}
