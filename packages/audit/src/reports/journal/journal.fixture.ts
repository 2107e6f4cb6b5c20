import {
  charge,
  createBooks,
  hostileTexts,
  instantAt,
  open,
  pay,
  randomBooks,
  refund,
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
