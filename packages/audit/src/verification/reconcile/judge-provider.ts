import type { ReportOutside } from "./findings.ts";
import { judgeListedRefunds, judgeProviderPayouts } from "./judge-provider-out.ts";
import { mustBeListed, type ProviderMovement, type ProviderView } from "./provider-view.ts";
import { isAtProvider, type BookedPayment, type OutsideBooks } from "./outside-books.ts";

interface JudgingProvider {
  readonly report: ReportOutside;
  /** What is newer may still be in the work engine. */
  readonly settledBefore: string;
  /** What is newer may still be on its way to the bank. */
  readonly unmatchedBefore: string;
  readonly unmatchedDays: number;
}

/** Compares what a payment provider lists with the payments, the refunds and the bank entries of the books. */
export function judgeProvider(books: OutsideBooks, view: ProviderView, judging: JudgingProvider): void {
  judgeListedPayments(books, view, judging);
  judgeListedRefunds(books, view, { ...judging, name: view.name });
  judgeProviderPayouts(books, view, judging);
}

function judgeListedPayments(
  { payments }: OutsideBooks,
  view: ProviderView,
  { report, settledBefore }: JudgingProvider,
): void {
  const { name, movements } = view;
  const own = new Map([...payments.values()].map((payment) => [payment.orderId, payment]));
  const listed = { settlement: new Set<string>(), return: new Set<string>() };
  for (const movement of movements) {
    const { kind, orderId, providerReference: cause } = movement;
    if (kind !== "settlement" && kind !== "return") continue;
    const payment = own.get(orderId);
    const about = { accountId: payment?.accountId, cause, at: payment?.settled?.at };
    const word = kind === "settlement" ? "settled" : "taken back";
    if (listed[kind].has(orderId === "" ? cause : orderId))
      report("books-provider", about, `is ${word} twice by ${name}`);
    listed[kind].add(orderId === "" ? cause : orderId);
    const isOld = movement.at < settledBefore;
    if (payment?.provider !== name)
      report("books-provider", about, `is ${word} by ${name}, and nobody asked for it`);
    else if (kind === "return") compareReturn(payment, movement, { name, report, isOld });
    else compareSettlement(payment, movement, { name, report, isOld });
  }
  for (const { orderId, accountId, provider, settled, returned } of payments.values()) {
    if (provider !== name || !isAtProvider(settled)) continue;
    const about = { accountId, cause: settled.reference };
    if (!listed.settlement.has(orderId) && mustBeListed(view, settled.at.time))
      report("books-provider", { ...about, at: settled.at }, `is settled in the books, and not by ${name}`);
    if (returned !== undefined && !listed.return.has(orderId) && mustBeListed(view, returned.at.time))
      report(
        "books-provider",
        { ...about, at: returned.at },
        `is taken back in the books, and not by ${name}`,
      );
  }
}

interface Comparing {
  readonly name: string;
  readonly report: ReportOutside;
  readonly isOld: boolean;
}

function compareReturn(
  { accountId, settled, returned }: BookedPayment,
  { providerReference: cause, amountCents }: ProviderMovement,
  { name, report, isOld }: Comparing,
): void {
  const about = { accountId, cause, at: returned?.at ?? settled?.at };
  if (returned === undefined) {
    if (isOld) report("books-provider", about, `is taken back by ${name}, and not in the books`);
  } else if (returned.amountCents !== amountCents)
    report(
      "books-provider",
      about,
      `is taken back by ${name} over ${String(amountCents)} cents, in the books over ${String(returned.amountCents)}`,
    );
}

function compareSettlement(
  { accountId, settled }: BookedPayment,
  { providerReference: cause, amountCents, feeCents }: ProviderMovement,
  { name, report, isOld }: Comparing,
): void {
  const about = { accountId, cause, at: settled?.at };
  if (settled === undefined) {
    if (isOld) report("books-provider", about, `is settled by ${name}, and not in the books`);
  } else if (settled.reference !== cause)
    report(
      "books-provider",
      about,
      `is settled by ${name} under another reference than ${settled.reference}`,
    );
  else if (settled.amountCents !== amountCents)
    report(
      "books-provider",
      about,
      `is settled by ${name} over ${String(amountCents)} cents, in the books over ${String(settled.amountCents)}`,
    );
  else if (settled.feeCents !== feeCents)
    report(
      "books-provider",
      about,
      `costs ${String(feeCents)} cents at ${name}, in the books ${String(settled.feeCents)}`,
    );
}
