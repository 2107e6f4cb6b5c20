import { isTeamCharge } from "@hostledger/core";

import { CentsColumn, NumberColumn } from "./columns.ts";
import { FingerprintTable } from "./fingerprint-table.ts";

/** What is known of charges and of the runs that make them; both have the name of the run's stream, and share a row. */
export interface ChargeTable {
  readonly names: FingerprintTable;
  /** Index of the charge plus 1; 0 where nothing was charged. */
  readonly chargedAt: NumberColumn;
  readonly accountId: NumberColumn;
  readonly invoiceId: NumberColumn;
  readonly grossCents: CentsColumn;
  readonly refundedCents: CentsColumn;
  /** What staff returned of it, whatever became of the order; within `refundedCents`. */
  readonly grantedCents: CentsColumn;
  /** What its corrections are over; above zero. */
  readonly correctedCents: CentsColumn;
  /** How many invoices name the charge. */
  readonly invoices: NumberColumn;
  /** Index of the delivery plus 1; 0 where nothing was delivered. */
  readonly deliveredAt: NumberColumn;
  /** Index of the beginning of the run plus 1. */
  readonly startedAt: NumberColumn;
  /** Index of the end of the run plus 1. */
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

/** What a charge is known by: teams name theirs for each account, and no two orders' charges bear one name. */
export function chargeName(accountId: number, chargeId: string): string {
  return isTeamCharge(chargeId) ? `${String(accountId)} ${chargeId}` : chargeId;
}

/** The row of a charge that was made, or undefined. */
export function chargeRow(table: ChargeTable, accountId: number, chargeId: string): number | undefined {
  const row = table.names.find(chargeName(accountId, chargeId));
  return row >= 0 && table.chargedAt.get(row) > 0 ? row : undefined;
}
