import { isTeamCharge } from "@hostledger/core";

import { FingerprintTable } from "./fingerprint-table.ts";

/** A growing column of numbers, default 0; exact for safe integers. */
export class NumberColumn {
  #values = new Float64Array(512);

  get(row: number): number {
    return this.#values[row] ?? 0;
  }

  set(row: number, value: number): void {
    if (row >= this.#values.length) {
      const wider = new Float64Array(Math.max(row + 1, this.#values.length * 2));
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[row] = value;
  }
}

/** A growing column of cents, default 0. */
class CentsColumn {
  #values = new BigInt64Array(512);

  get(row: number): bigint {
    return this.#values[row] ?? 0n;
  }

  /** @throws RangeError for an amount above 64 bits, which the array would wrap */
  set(row: number, value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${String(value)} cents are no amount`);
    if (row >= this.#values.length) {
      const wider = new BigInt64Array(Math.max(row + 1, this.#values.length * 2));
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[row] = value;
  }
}

/** Data of charges and their runs, which share a name (the run's stream) and a row. */
export interface ChargeTable {
  readonly names: FingerprintTable;
  /** Index of the charge plus 1; 0 if none. */
  readonly chargedAt: NumberColumn;
  readonly accountId: NumberColumn;
  readonly invoiceId: NumberColumn;
  readonly grossCents: CentsColumn;
  readonly refundedCents: CentsColumn;
  /** Amount refunded by staff regardless of the order; included in `refundedCents`. */
  readonly grantedCents: CentsColumn;
  /** Sum of its corrections; positive. */
  readonly correctedCents: CentsColumn;
  readonly invoices: NumberColumn;
  /** Index of the delivery plus 1; 0 if none. */
  readonly deliveredAt: NumberColumn;
  /** Index of the run's beginning plus 1. */
  readonly startedAt: NumberColumn;
  /** Index of the run's end plus 1. */
  readonly endedAt: NumberColumn;
}

export function chargeTable(): ChargeTable {
  return {
    names: new FingerprintTable(),
    chargedAt: new NumberColumn(),
    accountId: new NumberColumn(),
    invoiceId: new NumberColumn(),
    grossCents: new CentsColumn(),
    refundedCents: new CentsColumn(),
    grantedCents: new CentsColumn(),
    correctedCents: new CentsColumn(),
    invoices: new NumberColumn(),
    deliveredAt: new NumberColumn(),
    startedAt: new NumberColumn(),
    endedAt: new NumberColumn(),
  };
}

/** Returns the unique name of a charge; teams may use one charge id on several accounts. */
export function chargeName(accountId: number, chargeId: string): string {
  return isTeamCharge(chargeId) ? `${String(accountId)} ${chargeId}` : chargeId;
}

/** Returns the row of a charge; undefined if never charged. */
export function chargeRow(table: ChargeTable, accountId: number, chargeId: string): number | undefined {
  const row = table.names.find(chargeName(accountId, chargeId));
  return row >= 0 && table.chargedAt.get(row) > 0 ? row : undefined;
}
