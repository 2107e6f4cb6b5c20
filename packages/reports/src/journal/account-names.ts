import type { JournalAccount } from "./transactions.ts";

/** An account's name where names are hierarchies: Beancount, Ledger, hledger and the CSV. */
export function accountName(account: JournalAccount): string {
  switch (account.kind) {
    case "bank":
      return "Assets:Bank";
    case "customer":
      return `Liabilities:Customers:${String(account.accountId)}`;
    case "revenue":
      return revenueNames[account.of];
    case "vat":
      return "Liabilities:VAT";
    case "adjustments":
      return "Expenses:Adjustments";
    case "opening":
      return "Equity:Opening-Balances";
    case "unexplained":
      return "Equity:Unexplained";
  }
}

/** The accounts that every journal declares; customers' come as they are opened. */
export const commonAccounts = [
  "Assets:Bank",
  "Income:Domains",
  "Income:Servers",
  "Income:Other",
  "Liabilities:VAT",
  "Expenses:Adjustments",
  "Equity:Opening-Balances",
  "Equity:Unexplained",
] as const;

const revenueNames = { domains: "Income:Domains", servers: "Income:Servers", other: "Income:Other" } as const;
