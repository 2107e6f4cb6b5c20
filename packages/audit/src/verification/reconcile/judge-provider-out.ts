import { addMilliseconds } from "@hostledger/core";

import type { ReportOutside } from "./findings.ts";
import { mustBeListed, type ProviderMovement, type ProviderView } from "./provider-view.ts";
import type { BookedRefund } from "./money-out-books.ts";
import { entryKey, type BookedEntry, type OutsideBooks } from "./outside-books.ts";

interface Listing {
  readonly name: string;
  readonly report: ReportOutside;
  /** What is newer may still be in the work engine. */
  readonly settledBefore: string;
}

/** Compares the refunds that a payment provider lists with those of the books. */
export function judgeListedRefunds(
  { payments, out }: OutsideBooks,
  view: ProviderView,
  listing: Listing,
): void {
  const { name, report } = listing;
  const listed = { refund: new Set<string>(), "refund-return": new Set<string>() };
  for (const movement of view.movements) {
    const { kind, refundId = "", providerReference: cause } = movement;
    if (kind !== "refund" && kind !== "refund-return") continue;
    const key = refundId === "" ? cause : refundId;
    const refund = out.refunds.get(refundId);
    const about = { accountId: refund?.accountId, cause: key, at: refund?.at };
    const words = kind === "refund" ? "is refunded" : "came back";
    if (listed[kind].has(key)) report("books-provider", about, `${words} twice at ${name}`);
    else if (refund === undefined || payments.get(refund.orderId)?.provider !== name)
      report("books-provider", about, `${words} at ${name}, and nobody ordered it`);
    else compareRefund(refund, movement, listing);
    listed[kind].add(key);
  }
  for (const { refundId, orderId, accountId, settled, refused } of out.refunds.values()) {
    if (settled === undefined || payments.get(orderId)?.provider !== name) continue;
    const about = { accountId, cause: refundId };
    if (!listed.refund.has(refundId) && mustBeListed(view, settled.at.time))
      report("books-provider", { ...about, at: settled.at }, `is refunded in the books, and not at ${name}`);
    if (refused !== undefined && !listed["refund-return"].has(refundId) && mustBeListed(view, refused.time))
      report("books-provider", { ...about, at: refused }, `came back in the books, and not at ${name}`);
  }
}

function compareRefund(
  refund: BookedRefund,
  { kind, providerReference, amountCents, at }: ProviderMovement,
  { name, report, settledBefore }: Listing,
): void {
  const { accountId, refundId: cause, settled, refused } = refund;
  const about = { accountId, cause, at: settled?.at ?? refund.at };
  const isReturn = kind === "refund-return";
  if (amountCents !== refund.amountCents)
    report(
      "books-provider",
      about,
      `${isReturn ? "came back" : "is refunded"} at ${name} over ${String(amountCents)} cents, ordered are ${String(refund.amountCents)}`,
    );
  if (isReturn) {
    if (refused === undefined && at < settledBefore)
      report("books-provider", about, `came back at ${name}, and not in the books`);
  } else if (settled === undefined) {
    if (refused !== undefined)
      report("books-provider", { ...about, at: refused }, `is refunded at ${name}, and refused in the books`);
    else if (at < settledBefore)
      report("books-provider", about, `is refunded at ${name}, and not in the books`);
  } else if (settled.reference !== providerReference)
    report(
      "books-provider",
      about,
      `is refunded at ${name} under another reference than ${settled.reference}`,
    );
}

/** Compares what a payment provider paid out to the bank with the bank's entries that are matched to the provider, by amount. */
export function judgeProviderPayouts(
  { entries }: OutsideBooks,
  { name, from, to, movements }: ProviderView,
  {
    report,
    unmatchedBefore,
    unmatchedDays,
  }: { readonly report: ReportOutside; readonly unmatchedBefore: string; readonly unmatchedDays: number },
): void {
  const payouts = movements.filter(({ kind }) => kind === "payout");
  // A list without payouts says nothing about them.
  if (payouts.length === 0) return;
  const arrived = [...entries.values()].filter(
    ({ provider, amountCents, at }) => provider === name && amountCents > 0n && at.time >= from,
  );
  const left = new Map<bigint, BookedEntry[]>();
  for (const entry of arrived) left.set(entry.amountCents, [...(left.get(entry.amountCents) ?? []), entry]);
  const seen = new Set<string>();
  for (const { providerReference: cause, amountCents, at } of payouts) {
    if (seen.has(cause)) report("books-provider", { cause }, `is paid out twice by ${name}`);
    else if (left.get(amountCents)?.shift() === undefined && at < unmatchedBefore)
      report(
        "books-provider",
        { cause },
        `is paid out by ${name} over ${String(amountCents)} cents for more than ${String(unmatchedDays)} days, and no entry of the bank is matched to it`,
      );
    seen.add(cause);
  }
  // The bank books a payout some days after the provider lists it.
  const begin = addMilliseconds(from, unmatchedDays * 86_400_000);
  for (const { iban, entryId, amountCents, at } of [...left.values()].flat())
    if (at.time >= begin && at.time <= to)
      report(
        "books-provider",
        { cause: entryKey(iban, entryId), at },
        `is matched to ${name} over ${String(amountCents)} cents, and ${name} lists no such payout`,
      );
}
