import type { BankStatement, Booking, StatementBalance, StatementKind } from "@hostledger/core";
import { asLine, formatEuros } from "@hostledger/core";
import { yieldToOthers } from "@hostledger/runtime/async";
import { SaxesParser } from "saxes";

import {
  at,
  centsOf,
  childrenOf,
  refuse,
  statementFileLimits,
  textAt,
  type Element,
} from "./camt-element.ts";
import { givenText, paymentsOf } from "./camt-payments.ts";

/** Bytes that are parsed before other work of the process gets its turn. */
const chunkBytes = 262_144;

/** Names of the elements around entries, by the first part of the namespace's version. */
const kinds: Readonly<
  Record<string, { readonly kind: StatementKind; readonly message: string; readonly part: string }>
> = {
  "camt.053": { kind: "statement", message: "BkToCstmrStmt", part: "Stmt" },
  "camt.054": { kind: "notice", message: "BkToCstmrDbtCdtNtfctn", part: "Ntfctn" },
};

/**
 * Reads the statements of a CAMT.053 or CAMT.054 file (ISO 20022), any version. Left out are entries that the bank only announces,
 * and entries and parts of 0.00, with which banks note closings and interest, because they move nothing.
 * @throws StatementFileError for another file, a damaged or too large one, or one with a DOCTYPE.
 */
export async function readStatements(file: Uint8Array): Promise<readonly BankStatement[]> {
  if (file.byteLength > statementFileLimits.bytes)
    refuse("The file is larger than 16 MiB: export a shorter period.");
  const text = decoded(file);
  const reading = new Reading();
  const parser = new SaxesParser({ xmlns: true, position: true });
  parser.on("error", ({ message }) =>
    refuse(`The file is not well-formed XML: ${message.slice(0, 200).replace(/\.$/, "")}.`),
  );
  parser.on("xmldecl", ({ encoding = "UTF-8" }) => {
    if (encoding.toUpperCase() !== "UTF-8")
      refuse(`The file is in ${encoding.slice(0, 40)}: export it in UTF-8.`);
  });
  parser.on("doctype", () => refuse("The file has a DOCTYPE, which no bank statement has."));
  parser.on("attribute", () => {
    reading.addAttribute();
  });
  parser.on("opentag", ({ uri, local, attributes }) => {
    reading.open(uri, local, attributes.Ccy?.value ?? "");
  });
  parser.on("text", (piece) => {
    reading.add(piece);
  });
  parser.on("cdata", (piece) => {
    reading.add(piece);
  });
  parser.on("closetag", () => {
    reading.close();
  });
  for (let at = 0; at < text.length; at += chunkBytes) {
    parser.write(text.slice(at, at + chunkBytes));
    await yieldToOthers();
  }
  parser.close();
  if (reading.statements.length === 0) refuse("The file has no statement.");
  return reading.statements;
}

function decoded(file: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(file);
  } catch (error) {
    if (error instanceof TypeError) refuse("The file is not in UTF-8: export it in UTF-8.");
    throw error;
  }
}

/** Builds each entry when it ends, so that the file is never in memory as a whole tree. */
class Reading {
  readonly statements: BankStatement[] = [];
  readonly #open: Element[] = [];
  #kind: (typeof kinds)[string] | undefined;
  #bookings: Booking[] = [];
  #elements = 0;
  #attributes = 0;
  #payments = 0;

  open(namespace: string, name: string, currency: string): void {
    const { elements, levels } = statementFileLimits;
    this.#elements += 1;
    if (this.#elements > elements)
      refuse(`The file has more than ${String(elements)} elements: export a shorter period.`);
    if (this.#open.length >= levels) refuse(`The file has more than ${String(levels)} levels.`);
    if (this.#open.length === 0) this.#begin(namespace, name);
    this.#attributes = 0;
    this.#open.push({ name, currency, children: [], text: "" });
  }

  /** Counts the attributes of the element that opens next. */
  addAttribute(): void {
    const { attributes } = statementFileLimits;
    this.#attributes += 1;
    if (this.#attributes > attributes)
      refuse(`The file has an element with more than ${String(attributes)} attributes.`);
  }

  #begin(namespace: string, name: string): void {
    const version = /^urn:iso:std:iso:20022:tech:xsd:(camt\.05[34])\.001\.\d{2}$/.exec(namespace)?.[1];
    this.#kind = version === undefined || name !== "Document" ? undefined : kinds[version];
    if (this.#kind === undefined)
      refuse("The file is neither CAMT.053 nor CAMT.054: its first element is another message.");
  }

  add(text: string): void {
    const last = this.#open.at(-1);
    if (last !== undefined) last.text += text;
  }

  close(): void {
    const closed = this.#open.pop();
    if (closed === undefined || this.#kind === undefined) return;
    closed.text = closed.text.trim();
    const { message, part } = this.#kind;
    const [, outer, statement] = this.#open;
    const isInMessage = outer?.name === message;
    if (isInMessage && this.#open.length === 2 && closed.name === part) this.#endStatement(closed);
    else if (isInMessage && this.#open.length === 3 && statement?.name === part && closed.name === "Ntry")
      this.#endEntry(closed);
    else this.#open.at(-1)?.children.push(closed);
  }

  #endEntry(entry: Element): void {
    const booking = bookingOf(entry);
    if (booking === undefined) return;
    this.#payments += booking.payments.length;
    if (this.#payments > statementFileLimits.payments)
      refuse(
        `The file has more than ${String(statementFileLimits.payments)} payments: export a shorter period.`,
      );
    this.#bookings.push(booking);
  }

  #endStatement(element: Element): void {
    const { kind } = this.#kind ?? refuse("The file has no message.");
    if (this.statements.length === statementFileLimits.statements)
      refuse(`The file has more than ${String(statementFileLimits.statements)} statements.`);
    this.statements.push({
      kind,
      statementId: asLine(textAt(element, "Id"), 70, "without an id"),
      iban: textAt(element, "Acct", "Id", "IBAN").slice(0, longestIban).replaceAll(" ", "").toUpperCase(),
      currency: textAt(element, "Acct", "Ccy").slice(0, longestCurrency),
      opening: balanceOf(element, ["OPBD", "PRCD"]),
      closing: balanceOf(element, ["CLBD"]),
      bookings: this.#bookings,
    });
    this.#bookings = [];
  }
}

function balanceOf(statement: Element, codes: readonly string[]): StatementBalance | null {
  const balances = childrenOf(statement, "Bal");
  for (const code of codes) {
    const found = balances.find((one) => textAt(one, "Tp", "CdOrPrtry", "Cd") === code);
    if (found !== undefined) return amountOf(found, `balance ${code}`);
  }
  return null;
}

/** Maximum characters of an invalid IBAN, spaces included, and of an invalid currency in an error. */
const [longestIban, longestCurrency] = [50, 10];

/** Reads a signed amount. @param of names the amount in an error */
function amountOf(parent: Element, of: string): StatementBalance {
  const amount = at(parent, "Amt");
  const cents = centsOf(amount?.text ?? "", of);
  const direction = textAt(parent, "CdtDbtInd");
  if (direction !== "CRDT" && direction !== "DBIT")
    refuse(`The ${of} is neither CRDT nor DBIT, but ${JSON.stringify(direction.slice(0, 20))}.`);
  return {
    amountCents: direction === "CRDT" ? cents : -cents,
    currency: (amount?.currency ?? "").slice(0, longestCurrency),
  };
}

/** Reads an entry; undefined if the bank has not booked it, or if it moves nothing: banks note closings with 0.00. */
function bookingOf(entry: Element): Booking | undefined {
  const status = textAt(entry, "Sts", "Cd") || textAt(entry, "Sts");
  if (status !== "BOOK") return undefined;
  const bankReference = givenText(textAt(entry, "AcctSvcrRef"), 140);
  const { amountCents, currency } = amountOf(entry, `entry ${bankReference || "without a reference"}`);
  if (amountCents === 0n) return undefined;
  const { amountCents: most } = statementFileLimits;
  if (amountCents > most || amountCents < -most)
    refuse(`The entry ${bankReference || "without a reference"} is above ${formatEuros(most)}.`);
  const bookedOn = dayAt(entry, "BookgDt") ?? dayAt(entry, "ValDt");
  if (bookedOn === null) refuse(`The entry ${bankReference || "without a reference"} has no day of booking.`);
  return {
    bankReference,
    amountCents,
    currency,
    bookedOn,
    valueOn: dayAt(entry, "ValDt"),
    isReversal: ["true", "1"].includes(textAt(entry, "RvslInd")),
    payments: paymentsOf(entry, amountCents),
  };
}

function dayAt(entry: Element, name: string): string | null {
  const text = textAt(entry, name, "Dt") || textAt(entry, name, "DtTm");
  const day = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0];
  if (day !== undefined && !Number.isNaN(Date.parse(`${day}T00:00:00Z`))) return day;
  if (text !== "") refuse(`An entry has no valid day in ${name}: ${JSON.stringify(text.slice(0, 40))}.`);
  return null;
}
