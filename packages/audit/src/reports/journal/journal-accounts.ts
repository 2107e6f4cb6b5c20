export type JournalAccount =
  | { readonly kind: "bank" }
  | { readonly kind: "customer"; readonly accountId: number }
  | { readonly kind: "revenue"; readonly of: "domains" | "servers" | "other" }
  | { readonly kind: "vat"; readonly ratePercent: number }
  | { readonly kind: "adjustments" }
  /** Difference between a movement and its document; zero in correct books. */
  | { readonly kind: "unexplained" };

/** Returns an account's hierarchical name, for Beancount, Ledger, hledger and CSV. */
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
    case "unexplained":
      return "Equity:Unexplained";
  }
}

/** Accounts that every journal declares; customers' accounts follow when they are opened. */
export const commonAccounts = [
  "Assets:Bank",
  "Income:Domains",
  "Income:Servers",
  "Income:Other",
  "Liabilities:VAT",
  "Expenses:Adjustments",
  "Equity:Unexplained",
] as const;

const revenueNames = { domains: "Income:Domains", servers: "Income:Servers", other: "Income:Other" } as const;
