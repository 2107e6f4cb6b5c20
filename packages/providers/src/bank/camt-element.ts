import { maximumCents } from "@hostledger/core";

/** Thrown for a file that cannot be imported, with a sentence for the operator. */
export class StatementFileError extends Error {
  override readonly name = "StatementFileError";
}

export const statementFileLimits = {
  /** 16 MiB. */
  bytes: 16_777_216,
  /** Payments in all statements of the file. */
  payments: 10_000,
  /** Payments that the bank booked in one sum; larger sums stay one payment. */
  paymentsOfBooking: 100,
  statements: 100,
  elements: 600_000,
  levels: 32,
  /** Attributes of one element; statements have one. */
  attributes: 32,
  /** Cents of one entry, above or below zero: as much as an account may have. */
  amountCents: maximumCents,
} as const;

/** An element of a CAMT file, reduced to the parts that statements need. */
export interface Element {
  readonly name: string;
  readonly currency: string;
  readonly children: Element[];
  text: string;
}

/** @throws StatementFileError always */
export function refuse(message: string): never {
  throw new StatementFileError(message);
}

/** Returns the elements of a name directly below. */
export function childrenOf(parent: Element, name: string): readonly Element[] {
  return parent.children.filter((child) => child.name === name);
}

/** Returns the first element at a path; undefined without one. */
export function at(parent: Element | undefined, ...path: readonly string[]): Element | undefined {
  return path.reduce<Element | undefined>(
    (element, name) => element?.children.find((child) => child.name === name),
    parent,
  );
}

/** Returns the text at a path; empty without it. */
export function textAt(parent: Element | undefined, ...path: readonly string[]): string {
  return at(parent, ...path)?.text ?? "";
}

/**
 * Reads an amount as cents.
 * @param of names the amount in the error.
 * @throws StatementFileError for anything but digits with at most two decimals.
 */
export function centsOf(text: string, of: string): bigint {
  const found = /^(\d{1,15})(?:\.(\d{1,2})0*)?$/.exec(text);
  if (found === null)
    refuse(`The ${of} is no amount with at most two decimals: ${JSON.stringify(text.slice(0, 40))}.`);
  return BigInt(found[1] ?? "0") * 100n + BigInt((found[2] ?? "").padEnd(2, "0"));
}
