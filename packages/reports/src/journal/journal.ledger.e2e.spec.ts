import { describe, expect, it } from "vitest";
import { allBooks, customersAmong, customersOf } from "./journal.laws.fixture.ts";
import { balancesIn, printed, withJournal } from "./programs.fixture.ts";

/** The journal as Ledger reads it (Debian; tools/setup installs it). */
describe.each(allBooks)("ledger, of $name", ({ make }) => {
  const books = make();
  const load = (...line: string[]): Promise<string> =>
    withJournal(books.facts, { format: "ledger-cli" }, (file) =>
      printed("ledger", "--args-only", "--pedantic", "-f", file, ...line),
    );

  it("loads them at its strictest, and finds that they balance to zero", async () => {
    expect((await load("balance", "--depth", "1")).trimEnd().split("\n").at(-1)?.trim()).toBe("0");
  });

  it("finds that customers have what the facts say", async () => {
    const format = "%(account),%(display_total)\\n";
    const balances = balancesIn(await load("balance", "--flat", "--no-total", "--balance-format", format));
    expect(customersAmong(balances)).toEqual(customersOf(books));
  });
});
