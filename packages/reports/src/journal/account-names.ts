/** Where money is, in the words of double entry. */
export type JournalAccount =
  | { readonly kind: "bank" }
  | { readonly kind: "customer"; readonly accountId: number }
  | { readonly kind: "revenue"; readonly of: "domains" | "servers" | "other" }
  | { readonly kind: "vat"; readonly ratePercent: number }
  /** What staff corrected. */
  | { readonly kind: "adjustments" }
  /** What a movement and its document differ by: zero in right books. */
  | { readonly kind: "unexplained" };

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
  "Equity:Unexplained",
] as const;

const revenueNames = { domains: "Income:Domains", servers: "Income:Servers", other: "Income:Other" } as const;
