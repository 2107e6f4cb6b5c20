export type JournalAccount =
  /** The operator's bank account; without an IBAN for payments that staff typed, which no statement shows. */
  | { readonly kind: "bank"; readonly iban?: string }
  /** Money that a payment provider has for the operator. */
  | { readonly kind: "provider"; readonly name: string }
  /** Fees of payment providers. */
  | { readonly kind: "fees" }
  /** Money that came to the bank or a provider and is not credited yet, and money that left the bank for a reason that nobody named. */
  | { readonly kind: "suspense" }
  /** Money that customers were debited for, and that the bank or the provider has not sent to them yet. */
  | { readonly kind: "ordered" }
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
      return account.iban === undefined ? "Assets:Bank" : `Assets:Bank:${account.iban}`;
    case "provider":
      return `Assets:PSP:${providerName(account.name)}`;
    case "fees":
      return "Expenses:PaymentFees";
    case "suspense":
      return "Liabilities:Suspense";
    case "ordered":
      return "Liabilities:PayoutsOrdered";
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

/** Beancount wants a capital letter at the start, then letters, digits and hyphens. */
function providerName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9]+/gu, "-").replace(/^-/u, "");
  return plain === "" ? "Provider" : `${plain.slice(0, 1).toUpperCase()}${plain.slice(1)}`;
}

/** Returns true for an account that a journal declares before its first use, because most books have none of them. */
export function isDeclaredAtUse(account: JournalAccount): boolean {
  switch (account.kind) {
    case "bank":
      return account.iban !== undefined;
    case "provider":
    case "fees":
    case "suspense":
    case "ordered":
      return true;
    case "customer":
    case "revenue":
    case "vat":
    case "adjustments":
    case "unexplained":
      return false;
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
