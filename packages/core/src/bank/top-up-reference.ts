/**
 * Returns the reference under which a bank entry tops an account up.
 * @param time 1 for the first account that gets the payment.
 */
export function topUpReferenceOf(iban: string, entryId: number, time = 1): string {
  return `bank ${iban}/${String(entryId)}${time === 1 ? "" : `/${String(time)}`}`;
}

/** Reads a reference that `topUpReferenceOf` made; undefined for another text. */
export function entryOfTopUp(
  reference: string,
): { readonly iban: string; readonly entryId: number } | undefined {
  const found = /^bank ([A-Z]{2}\d{2}[A-Z0-9]{8,30})\/([1-9]\d{0,14})(?:\/\d{1,2})?$/.exec(reference);
  const [, iban, entryId] = found ?? [];
  return iban === undefined || entryId === undefined ? undefined : { iban, entryId: Number(entryId) };
}
