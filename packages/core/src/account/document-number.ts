/** Gapless number series of an account's documents. Several are lawful: §14 (4) no. 4 UStG requires unique numbers. */
export type DocumentSeries = "invoice" | "receipt" | "correction";

const seriesPrefix: Readonly<Record<DocumentSeries, string>> = { invoice: "", receipt: "T", correction: "C" };

/**
 * Writes a document's number, for example `2026-7-000042`. Receipts have a `T`, corrections a `C` before the count.
 * @param rewinds number of accepted restores of an older store. A positive number precedes the count (`2026-7-R1-000042`),
 *   because the lost store may have used the count.
 */
export function documentNumber(
  series: DocumentSeries,
  accountId: number,
  count: number,
  issuedAt: string,
  rewinds = 0,
): string {
  const rewound = rewinds === 0 ? "" : `R${String(rewinds)}-`;
  return `${issuedAt.slice(0, 4)}-${String(accountId)}-${rewound}${seriesPrefix[series]}${String(count).padStart(6, "0")}`;
}

const numberPattern = /^\d{4}-([1-9]\d{0,14})-(?:R[1-9]\d{0,8}-)?[TC]?\d{6,}$/u;

/** Returns the account id in a document's number, for example 7 in `2026-7-R1-T000003`; undefined for other texts. */
export function accountOfDocument(number: string): number | undefined {
  const account = numberPattern.exec(number)?.[1];
  return account === undefined ? undefined : Number(account);
}
