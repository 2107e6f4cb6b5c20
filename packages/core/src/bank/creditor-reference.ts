/** Characters of a creditor reference after `RF` and its two check digits (ISO 11649). */
const longestBody = 21;

/**
 * Returns the creditor reference (ISO 11649) of a text: `RF`, two check digits, the text.
 * @param body 1 to 21 letters A to Z and digits.
 */
export function creditorReference(body: string): string {
  if (!/^[A-Z0-9]{1,21}$/.test(body))
    throw new Error(`a creditor reference is made of 1 to ${String(longestBody)} letters and digits`);
  const check = String(98 - remainderOf(`${body}RF00`)).padStart(2, "0");
  return `RF${check}${body}`;
}

/** Returns true for a creditor reference without spaces whose check digits are correct. */
export function isCreditorReference(text: string): boolean {
  return /^RF\d{2}[A-Z0-9]{1,21}$/.test(text) && remainderOf(`${text.slice(4)}${text.slice(0, 4)}`) === 1;
}

/** Returns the remainder by 97 of a text whose letters count as 10 to 35 (ISO 7064, MOD 97-10). */
function remainderOf(text: string): number {
  let remainder = 0;
  for (const character of text)
    for (const digit of String(Number.parseInt(character, 36)))
      remainder = (remainder * 10 + Number(digit)) % 97;
  return remainder;
}

/** Returns the permanent creditor reference of an account, under which a customer pays by bank transfer. */
export function accountReference(accountId: number): string {
  return creditorReference(`A${String(accountId)}`);
}

/** Returns the creditor reference of one top-up by bank transfer, which names the account and the payment. */
export function topUpTransferReference(accountId: number, paymentId: number): string {
  return creditorReference(`A${String(accountId)}P${String(paymentId)}`);
}

/** Account, or top-up, that a reference of ours names. */
export interface NamedByReference {
  readonly accountId: number;
  /** The top-up; undefined in the permanent reference of an account. */
  readonly paymentId: number | undefined;
}

/** Reads an `accountReference` or a `topUpTransferReference`; undefined for another text. */
export function namedByReference(reference: string): NamedByReference | undefined {
  const [, accountId, paymentId] = /^RF\d{2}A([1-9]\d{0,14})(?:P([1-9]\d{0,14}))?$/.exec(reference) ?? [];
  if (accountId === undefined || !isCreditorReference(reference)) return undefined;
  return {
    accountId: Number(accountId),
    paymentId: paymentId === undefined ? undefined : Number(paymentId),
  };
}

/** Spaces and marks that people and banks write inside a reference. */
const separators = /[\s./-]/;

/**
 * Finds our references in a text that a payer typed, for example `Invoice RF83 A7, thank you`. A word that is a reference is taken
 * whole. In a reference with separators, the separators are ignored, and it ends where its check digits are correct.
 */
export function referencesIn(text: string): readonly string[] {
  const upper = text.toUpperCase();
  const found = new Set<string>();
  for (const { index } of upper.matchAll(/RF/g)) {
    const rest = upper.slice(index);
    const word = /^[A-Z0-9]+/.exec(rest)?.[0] ?? "";
    // Otherwise the first characters of a longer reference might name another account.
    const references = namedByReference(word) === undefined ? separatedReferences(rest) : [word];
    for (const reference of references) found.add(reference);
  }
  return [...found];
}

/** Returns all beginnings of a text that are references of ours when separators are left out. */
function separatedReferences(text: string): readonly string[] {
  const found: string[] = [];
  let candidate = "";
  for (const character of text) {
    if (separators.test(character)) continue;
    if (!/[A-Z0-9]/.test(character) || candidate.length === 4 + longestBody) break;
    candidate += character;
    if (namedByReference(candidate) !== undefined) found.push(candidate);
  }
  return found;
}
