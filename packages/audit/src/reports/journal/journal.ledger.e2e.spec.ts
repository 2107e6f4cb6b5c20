import { describe, expect, it } from "vitest";
import { allBooks, customersAmong, customersOf, middleOf } from "./journal.laws.fixture.ts";
import { balancesIn, printed, withJournal } from "./programs.fixture.ts";

/** Loads the journal with Ledger (Debian; tools/setup installs it). */
describe.each(allBooks)("ledger, of $name", ({ make }) => {
  const books = make();
  const loadFrom = (from: string | undefined, ...line: string[]): Promise<string> =>
    withJournal(books.events, { format: "ledger-cli", from }, (file) =>
      printed("ledger", "--args-only", "--pedantic", "-f", file, ...line),
    );
  const load = (...line: string[]): Promise<string> => loadFrom(undefined, ...line);
  const flat = ["balance", "--flat", "--no-total", "--balance-format", "%(account),%(display_total)\\n"];

  it("loads them at its strictest, and finds that they balance to zero", async () => {
    expect((await load("balance", "--depth", "1")).trimEnd().split("\n").at(-1)?.trim()).toBe("0");
  });

  it("finds the customers' balances", async () => {
    const balances = balancesIn(await load(...flat));
    expect(customersAmong(balances)).toEqual(customersOf(books));
  });

  it("finds the same trial balance in a journal that begins later", async () => {
    expect(balancesIn(await loadFrom(middleOf(books), ...flat))).toEqual(balancesIn(await load(...flat)));
  });
});
