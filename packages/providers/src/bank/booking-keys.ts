import { createHash } from "node:crypto";

import type { BankStatement, Booking } from "@hostledger/core";

/** A booking with the key that identifies it in other files (see `KeyedBooking`). */
export interface RecognisedBooking extends Booking {
  readonly key: string;
  readonly noticeKey: string | null;
  readonly likeness: string | null;
  readonly occurrence: number;
}

/**
 * Returns the bookings of a statement with their keys. The bank's own reference identifies a booking in every file.
 * A booking without a reference is identified by its content and its statement, so two equal payments in two
 * statements are two bookings; a notification has no statement.
 */
export function keyedBookings({ kind, statementId, bookings }: BankStatement): readonly RecognisedBooking[] {
  const seen = new Map<string, number>();
  return bookings.map((booking) => {
    const { bankReference, bookedOn, amountCents } = booking;
    const said = [
      bankReference,
      bookedOn,
      String(amountCents),
      ...(bankReference === "" ? textsOf(booking) : []),
    ];
    const likeness = hashOf(said);
    const occurrence = (seen.get(likeness) ?? 0) + 1;
    seen.set(likeness, occurrence);
    if (bankReference !== "")
      return { ...booking, key: hashOf([likeness, occurrence]), noticeKey: null, likeness: null, occurrence };
    const noticeKey = hashOf(["notice", likeness, occurrence]);
    return kind === "notice"
      ? { ...booking, key: noticeKey, noticeKey: null, likeness, occurrence }
      : {
          ...booking,
          key: hashOf(["statement", statementId, likeness, occurrence]),
          noticeKey,
          likeness,
          occurrence,
        };
  });
}

/** Returns a hash of all that a statement says, which is the same for every file that has it. */
export function contentHashOf(statement: BankStatement): string {
  return hashOf([
    JSON.stringify(statement, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
  ]);
}

function textsOf({ payments }: Booking): readonly string[] {
  return payments.flatMap(
    ({ counterpartyIban, counterpartyName, endToEndId, creditorReference, remittance }) => [
      counterpartyIban,
      counterpartyName,
      endToEndId,
      creditorReference,
      remittance,
    ],
  );
}

function hashOf(parts: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
