import { describe, expect, it } from "vitest";
import { allBooks, customersAmong, customersOf, middleOf } from "./journal.laws.fixture.ts";
import { balancesIn, printed, withJournal } from "./programs.fixture.ts";

/** Loads the journal with hledger (Debian; tools/setup installs it). */
describe.each(allBooks)("hledger, of $name", ({ make }) => {
  const books = make();
  const load = <Result>(use: (file: string) => Promise<Result>): Promise<Result> =>
    withJournal(books.events, { format: "ledger-cli" }, use);

  it("loads them at its strictest", async () => {
    expect(await load((file) => printed("hledger", "-f", file, "--strict", "check"))).toBe("");
  });

  it("finds that they balance to zero, with the customers' balances", async () => {
    const csv = await load((file) => printed("hledger", "-f", file, "balance", "--flat", "-O", "csv"));
    expect(csv).toMatch(/^"total","0"$/mu);
    expect(customersAmong(balancesIn(csv))).toEqual(customersOf(books));
  });

  it("finds the same trial balance in a journal that begins later, and no earlier revenue in its period", async () => {
    const read = (from: string | undefined, ...line: string[]) =>
      withJournal(books.events, { format: "ledger-cli", from }, async (file) => {
        await printed("hledger", "-f", file, "--strict", "check");
        return balancesIn(await printed("hledger", "-f", file, "balance", "--flat", "-O", "csv", ...line));
      });
    const middle = middleOf(books);
    expect(await read(middle)).toEqual(await read(undefined));
    const period = ["Income", "--begin", middle];
    expect(await read(middle, ...period)).toEqual(await read(undefined, ...period));
  });

  it("reads one transaction per movement", async () => {
    const stats = await load((file) => printed("hledger", "-f", file, "stats"));
    const movements = books.events.filter(({ type }) =>
      /^(?:Balance|RefundGranted|\w+Refunded|BankEntryBooked|EntryMatchedToProvider|Payment(?:Settled|Returned))/u.test(
        type,
      ),
    ).length;
    expect(stats).toMatch(new RegExp(`^Transactions\\s+: ${String(movements)} `, "mu"));
  });
});
