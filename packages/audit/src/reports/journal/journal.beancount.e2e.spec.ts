import { describe, expect, it } from "vitest";
import { allBooks, customersAmong, customersOf, middleOf } from "./journal.laws.fixture.ts";
import { balancesIn, printed, withJournal } from "./programs.fixture.ts";

/** Loads the journal with Beancount (Debian; tools/setup installs it). */
describe.each(allBooks)("beancount, of $name", ({ make }) => {
  const books = make();
  const load = <Result>(use: (file: string) => Promise<Result>): Promise<Result> =>
    withJournal(books.events, { format: "beancount" }, use);
  const query = "SELECT account, sum(number) GROUP BY account";

  it("loads them without a complaint", async () => {
    expect(await load((file) => printed("bean-check", file))).toBe("");
  });

  it("finds that they balance to zero, with the customers' balances", async () => {
    const csv = await load((file) => printed("bean-query", "-q", "-f", "csv", file, query));
    const balances = balancesIn(csv);
    const sum = [...balances.values()].reduce((cents, amount) => cents + BigInt(amount.replace(".", "")), 0n);
    expect(sum).toBe(0n);
    const owed = [...customersAmong(balances)].filter(([, amount]) => !/^-?0(?:\.00)?$/u.test(amount));
    expect(new Map(owed)).toEqual(customersOf(books));
  });

  it("finds the same trial balance in a journal that begins later", async () => {
    const trial = (from?: string) =>
      withJournal(books.events, { format: "beancount", from }, async (file) => {
        expect(await printed("bean-check", file)).toBe("");
        const balances = balancesIn(await printed("bean-query", "-q", "-f", "csv", file, query));
        return new Map([...balances].filter(([, amount]) => Number(amount) !== 0));
      });
    expect(await trial(middleOf(books))).toEqual(await trial());
  });
});
