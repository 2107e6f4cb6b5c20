import { asLine, isReturnCode, type Payment } from "@hostledger/core";

import { at, centsOf, childrenOf, statementFileLimits, textAt, type Element } from "./camt-element.ts";

/** Reads the payments of an entry: one for the whole sum, unless the bank names the amount of each. */
export function paymentsOf(entry: Element, amountCents: bigint): readonly Payment[] {
  const details = childrenOf(entry, "NtryDtls").flatMap((each) => childrenOf(each, "TxDtls"));
  const [first] = details;
  const whole = [
    paymentOf(details.length === 1 ? first : undefined, amountCents, textAt(entry, "AddtlNtryInf")),
  ];
  if (details.length < 2 || details.length > statementFileLimits.paymentsOfBooking) return whole;
  const parts = details.map((each) => {
    const amount =
      at(each, "Amt") ?? at(each, "AmtDtls", "TxAmt", "Amt") ?? at(each, "AmtDtls", "InstdAmt", "Amt");
    if (amount === undefined || !/^\d{1,15}(\.\d{1,2}0*)?$/.test(amount.text)) return undefined;
    const cents = centsOf(amount.text, "payment");
    const direction = textAt(each, "CdtDbtInd");
    const isCredit = direction === "" ? amountCents > 0n : direction === "CRDT";
    return paymentOf(each, isCredit ? cents : -cents, "");
  });
  const sum = parts.reduce((cents, one) => cents + (one?.amountCents ?? 0n), 0n);
  const known = parts.filter((one) => one !== undefined);
  const moved = known.filter((one) => one.amountCents !== 0n);
  // Fees or another currency: staff see one payment and look at the bank.
  return known.length === parts.length && sum === amountCents ? moved : whole;
}

function paymentOf(details: Element | undefined, amountCents: bigint, otherwise: string): Payment {
  const isIncoming = amountCents > 0n;
  const counterparty = at(details, "RltdPties", isIncoming ? "Dbtr" : "Cdtr");
  const account = at(details, "RltdPties", isIncoming ? "DbtrAcct" : "CdtrAcct");
  const remittance = at(details, "RmtInf");
  const texts = remittance === undefined ? [] : childrenOf(remittance, "Ustrd").map(({ text }) => text);
  const structured =
    remittance === undefined
      ? []
      : childrenOf(remittance, "Strd").map((each) => textAt(each, "CdtrRefInf", "Ref"));
  const returned = at(details, "RtrInf");
  const code = textAt(returned, "Rsn", "Cd");
  return {
    ...(returned !== undefined && { returnCode: isReturnCode(code) ? code : "" }),
    amountCents,
    creditorReference: asLine(structured.find((one) => one !== "") ?? "", 35, ""),
    remittance: asLine(texts.length === 0 ? otherwise : texts.join(" "), 1_000, ""),
    endToEndId: givenText(textAt(details, "Refs", "EndToEndId"), 35),
    // Since version 8 the party is a level deeper.
    counterpartyName: asLine(textAt(counterparty, "Nm") || textAt(counterparty, "Pty", "Nm"), 140, ""),
    counterpartyIban: asLine(textAt(account, "Id", "IBAN"), 34, ""),
  };
}

/** Banks write these where they have no reference. */
const placeholders: readonly string[] = ["NONREF", "NOTPROVIDED", "NOT PROVIDED"];

/** Returns a text of the bank, or an empty one for a placeholder. */
export function givenText(text: string, limit: number): string {
  const line = asLine(text, limit, "");
  return placeholders.includes(line.toUpperCase()) ? "" : line;
}
