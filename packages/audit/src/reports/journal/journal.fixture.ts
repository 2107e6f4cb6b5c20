import {
  charge,
  createBooks,
  hostileTexts,
  instantAt,
  open,
  pay,
  randomBooks,
  refund,
  takeBack,
  type Books,
} from "../books.fixture.ts";

const day = 86_400_000_000;

/** Creates books with every kind of movement, in January 2026. */
export function smallBooks(): Books {
  const books = createBooks();
  books.command(7, instantAt(day), open(7));
  books.command(8, instantAt(2 * day), open(8, "Exempt Ltd", true));
  books.command(7, instantAt(3 * day), pay("bank-1", 100_000n));
  books.command(8, instantAt(4 * day), pay("bank-2", 5_000n));
  books.command(7, instantAt(5 * day), charge("registration-1", 1_000n));
  books.command(7, instantAt(6 * day), charge("serverorder-1", 999n, "Server S, per month", true));
  books.command(8, instantAt(7 * day), charge("registration-2", 1_000n));
  books.command(7, instantAt(8 * day), refund("registration-1"));
  books.command(7, instantAt(9 * day), refund("serverorder-1", "no node", "RefundCharge"));
  books.command(7, instantAt(10 * day), charge("registration-3", 1_000n));
  return books;
}

/** Creates books in which every text from outside has a special meaning for some program. */
export function hostileBooks(): Books {
  const books = createBooks({ actor: hostileTexts[0], requestId: hostileTexts[7] });
  hostileTexts.forEach((text, index) => {
    const accountId = index + 1;
    const at = (count: number): string => instantAt(day * (index + 1) + count);
    books.command(accountId, at(0), open(accountId, text));
    books.command(accountId, at(1), pay(`${text}${String(index)}`, 10_000n));
    books.command(accountId, at(2), charge(`${text}/${String(index)}`, 1_000n, text));
    books.command(accountId, at(3), refund(`${text}/${String(index)}`, text));
    books.command(accountId, at(4), charge(`registration-${String(index)}`, 500n, text));
  });
  return books;
}

export function largeBooks(): Books {
  return randomBooks(7, 40, 3_000);
}

/** Returns each customer's balance in the journal; a credit balance is negative because it is a liability. */
export function expectedCustomers(
  books: Books,
  balanceOf: (accountId: number) => bigint,
): ReadonlyMap<number, bigint> {
  const ids = books.events
    .filter(({ type }) => type.startsWith("AccountOpened."))
    .map(({ stream }) => Number(stream.slice("account-".length)));
  return new Map(ids.map((id) => [id, -balanceOf(id)]));
}

/** The operator's bank accounts of `moneyBooks`. */
export const [firstIban, secondIban] = ["DE89370400440532013000", "NL91ABNA0417164300"] as const;

const sha = "a".repeat(64);

/** A bank's entry in a spec. */
export const bankEntry = (
  entryId: number,
  amountCents: bigint,
  bookedOn: string,
  iban: string = firstIban,
) => ({
  entryId,
  iban,
  statementId: "S1",
  bookingKey: sha,
  likeness: null,
  part: 1,
  amountCents: String(amountCents),
  bookedOn,
  valueOn: null,
  bankReference: `B${String(entryId)}`,
  isReversal: false,
  creditorReference: "",
  counterpartyName: "Ada",
  counterpartyIban: secondIban,
  remittance: "",
  endToEndId: "",
  keyOwner: 0,
  keptUntilYear: 2036,
  recordedAt: instantAt(0),
});

/** Stores a bank's entry. */
export function bookAtBank(books: Books, time: string, entry: ReturnType<typeof bankEntry>): void {
  books.store(`bank-${entry.iban}`, time, "BankEntryBooked.v1", entry);
}

/** Stores the debit of account 7 for money that goes back to the customer. */
export function payOut(
  books: Books,
  time: string,
  order: { readonly to: "bank" | "source"; readonly reference: string; readonly amountCents: string },
): void {
  books.store("account-7", time, "BalancePaidOut.v1", {
    accountId: 7,
    ...order,
    topUpReference: order.to === "bank" ? null : "sandbox-1",
    balanceAfterCents: "0",
    fromIban: "",
    iban: "",
    name: "",
    keyOwner: 0,
    keptUntilYear: 2036,
    reason: "R",
    paidOutAt: time,
  });
}

/** Stores a card payment as it was requested. */
export function requestPayment(
  books: Books,
  time: string,
  { paymentId, accountId, cents }: { paymentId: number; accountId: number; cents: bigint },
): void {
  books.store(`payment-p${String(paymentId)}`, time, "PaymentRequested.v1", {
    paymentId,
    accountId,
    provider: "sandbox",
    method: "card",
    amountCents: String(cents),
    returnUrl: "",
    requestedAt: time,
  });
}

/** Stores the settlement of a payment, of which the provider keeps 25 cents. */
export function settlePayment(
  books: Books,
  time: string,
  { paymentId, accountId, cents }: { paymentId: number; accountId: number; cents: bigint },
): void {
  books.store(`payment-p${String(paymentId)}`, time, "PaymentSettled.v1", {
    paymentId,
    accountId,
    amountCents: String(cents),
    feeCents: "25",
    providerReference: `sandbox-${String(paymentId)}`,
    valueDate: time.slice(0, 10),
    settledAt: time,
  });
}

/**
 * Creates books of customers who paid by transfer, by card and in other ways, with a chargeback and an unassigned
 * payment.
 */
export function moneyBooks(): Books {
  const books = createBooks();
  books.command(7, instantAt(day), open(7));
  books.command(8, instantAt(day), open(8, "Grace"));
  books.command(7, instantAt(2 * day), pay("bank-1", 10_000n));
  // The statement of 2 January is imported later, also after the end of January.
  bookAtBank(books, instantAt(3 * day), bankEntry(1, 5_000n, "2026-01-02"));
  books.command(7, instantAt(3 * day), pay(`bank ${firstIban}/1`, 5_000n));
  bookAtBank(books, instantAt(3 * day), bankEntry(2, 700n, "2026-01-03"));
  bookAtBank(books, instantAt(4 * day), bankEntry(1, 300n, "2026-01-04", secondIban));
  // The wrong customer gets it first.
  books.command(7, instantAt(4 * day), pay(`bank ${secondIban}/1`, 300n));
  books.command(7, instantAt(5 * day), takeBack(`bank ${secondIban}/1`));
  books.command(8, instantAt(5 * day), pay(`bank ${secondIban}/1/2`, 300n));
  for (const [paymentId, cents] of [
    [1, 2_000n],
    [2, 4_000n],
    [3, 1_000n],
  ] as const) {
    const payment = { paymentId, accountId: 8, cents };
    requestPayment(books, instantAt(6 * day), payment);
    // Staff type the third payment before the provider says that it came.
    if (paymentId === 3) books.command(8, instantAt(7 * day), pay("sandbox-3", cents));
    settlePayment(books, instantAt(8 * day), payment);
    if (paymentId !== 3) books.command(8, instantAt(8 * day), pay(`sandbox-${String(paymentId)}`, cents));
  }
  books.store("payment-p2", instantAt(9 * day), "PaymentReturned.v1", {
    paymentId: 2,
    accountId: 8,
    amountCents: "4000",
    reason: "Charged back",
    valueDate: "2026-01-10",
    returnedAt: instantAt(9 * day),
  });
  books.command(8, instantAt(9 * day), takeBack("sandbox-2", "Charged back"));
  books.command(8, instantAt(10 * day), charge("registration-8", 1_000n));
  bookAtBank(books, instantAt(11 * day), bankEntry(3, -120n, "2026-01-11"));
  // The provider pays out, and takes back too much of it.
  bookAtBank(books, instantAt(12 * day), bankEntry(4, 1_500n, "2026-01-12"));
  bookAtBank(books, instantAt(13 * day), bankEntry(5, -80n, "2026-01-13"));
  for (const [entryId, amountCents, bookedOn] of [
    [4, "1500", "2026-01-12"],
    [5, "-80", "2026-01-13"],
  ] as const) {
    const matchedAt = instantAt(14 * day);
    const matched = { entryId, provider: "sandbox", amountCents, bookedOn, matchedAt };
    books.store(`bank-${firstIban}`, matchedAt, "EntryMatchedToProvider.v1", matched);
  }
  return books;
}
