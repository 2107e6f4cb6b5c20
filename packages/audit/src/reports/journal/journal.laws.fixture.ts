import { formatEuros } from "@hostledger/core";
import { balanceByHand, type Books } from "../books.fixture.ts";
import { expectedCustomers, hostileBooks, largeBooks, moneyBooks, smallBooks } from "./journal.fixture.ts";

export const allBooks: readonly { readonly name: string; readonly make: () => Books }[] = [
  { name: "small books", make: smallBooks },
  { name: "books with bank accounts and a provider", make: moneyBooks },
  { name: "books of hostile texts", make: hostileBooks },
  { name: "3,000 random movements", make: largeBooks },
];

const always = "9999-12-31T23:59:59.999999Z";

/** Returns the customers' accounts with a nonzero balance, as programs print them. */
export function customersOf(books: Books): ReadonlyMap<string, string> {
  const balances = expectedCustomers(books, (id) => balanceByHand(books.events, id, always));
  return new Map(
    [...balances]
      .filter(([, cents]) => cents !== 0n)
      .map(([id, cents]) => [`Liabilities:Customers:${String(id)}`, formatEuros(cents)]),
  );
}

export function customersAmong(balances: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...balances].filter(([name]) => name.startsWith("Liabilities:Customers:")));
}

/** Returns a day in the middle of the books. */
export function middleOf(books: Books): string {
  return books.events[Math.floor(books.events.length / 2)]?.time.slice(0, 10) ?? "";
}
