/**
 * The series of an account's documents; each counts 1, 2, 3 … without a gap. Several series are lawful: §14 (4) no. 4
 * UStG asks that a number be unique.
 */
export type DocumentSeries = "invoice" | "receipt" | "correction";

const seriesPrefix: Readonly<Record<DocumentSeries, string>> = { invoice: "", receipt: "T", correction: "C" };

/**
 * Writes a document's number, for example `2026-7-000042`; receipts bear a `T`, corrections a `C` before the count.
 * @param rewinds how often the store was put back and accepted: above 0 it stands before the count, as in `2026-7-R1-000042`, since
 * the lost copy may have given out the same counts.
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

/** The account that a document's number names, for example 7 in `2026-7-R1-T000003`; undefined for another text. */
export function accountOfDocument(number: string): number | undefined {
  const account = numberPattern.exec(number)?.[1];
  return account === undefined ? undefined : Number(account);
}
