/** A payment in a made-up file of a bank. */
export interface GivenPayment {
  /** Euros with two decimals; a minus for money that left. */
  readonly amount: string;
  readonly ref?: string;
  readonly text?: string;
  readonly creditorReference?: string;
  readonly name?: string;
  readonly iban?: string;
  readonly status?: string;
  readonly isReversal?: boolean;
  readonly currency?: string;
  readonly endToEndId?: string;
  /** The bank's code, such as AC04, of a transfer that it returns. */
  readonly returnCode?: string;
  /** Further XML of the entry, in place of its details. */
  readonly details?: string;
}

export interface GivenFile {
  readonly iban?: string;
  readonly id?: string;
  readonly currency?: string;
  readonly opening?: string;
  readonly closing?: string;
  readonly day?: string;
  readonly payments?: readonly GivenPayment[];
  readonly version?: "02" | "08";
  readonly kind?: "053" | "054";
}

export const ownIban = "DE89370400440532013000";

const signed = (amount: string): readonly [text: string, direction: string] =>
  amount.startsWith("-") ? [amount.slice(1), "DBIT"] : [amount, "CRDT"];

function tag(name: string, content: string | undefined): string {
  return content === undefined ? "" : `<${name}>${content}</${name}>`;
}

function balance(code: string, amount: string, currency: string, day: string): string {
  const [text, direction] = signed(amount);
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${text}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`;
}

function entry(
  payment: GivenPayment,
  { day, version }: { readonly day: string; readonly version: string },
): string {
  const [text, direction] = signed(payment.amount);
  const [counterparty, account] = direction === "CRDT" ? ["Dbtr", "DbtrAcct"] : ["Cdtr", "CdtrAcct"];
  const status = payment.status ?? "BOOK";
  const name = payment.name && tag("Nm", payment.name);
  const details =
    payment.details ??
    `<NtryDtls><TxDtls><Refs>${tag("EndToEndId", payment.endToEndId ?? "NOTPROVIDED")}</Refs><RltdPties>${tag(counterparty, version === "08" && name ? tag("Pty", name) : name)}${tag(account, payment.iban && tag("Id", tag("IBAN", payment.iban)))}</RltdPties><RmtInf>${tag("Ustrd", payment.text)}${tag("Strd", payment.creditorReference && tag("CdtrRefInf", tag("Ref", payment.creditorReference)))}</RmtInf>${tag("RtrInf", payment.returnCode && tag("Rsn", tag("Cd", payment.returnCode)))}</TxDtls></NtryDtls>`;
  return `<Ntry><Amt Ccy="${payment.currency ?? "EUR"}">${text}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${payment.isReversal === true ? "<RvslInd>true</RvslInd>" : ""}<Sts>${version === "08" ? tag("Cd", status) : status}</Sts><BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt>${tag("AcctSvcrRef", payment.ref)}${details}</Ntry>`;
}

/** Writes a CAMT file as banks do. The closing balance follows from the payments unless it is given. */
export function camtFile(given: GivenFile = {}): string {
  const { iban = ownIban, id = "S1", currency = "EUR", opening = "0.00", day = "2026-11-28" } = given;
  const { payments = [], version = "02", kind = "053" } = given;
  const cents = (amount: string): number => Math.round(Number(amount) * 100);
  const booked = payments.filter(({ status = "BOOK" }) => status === "BOOK");
  const sum = booked.reduce((total, { amount }) => total + cents(amount), cents(opening));
  const closing = given.closing ?? (sum / 100).toFixed(2);
  const balances =
    kind === "053" ? balance("OPBD", opening, currency, day) + balance("CLBD", closing, currency, day) : "";
  const [message, part] = kind === "053" ? ["BkToCstmrStmt", "Stmt"] : ["BkToCstmrDbtCdtNtfctn", "Ntfctn"];
  const account = `<Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>${currency}</Ccy></Acct>`;
  const entries = payments.map((payment) => entry(payment, { day, version })).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.${version}"><${message}><GrpHdr><MsgId>M1</MsgId></GrpHdr><${part}><Id>${id}</Id>${account}${balances}
${entries}
</${part}></${message}></Document>
`;
}
