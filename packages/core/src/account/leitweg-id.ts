/** Coarse address, fine address (optional) and two check digits (KoSIT, "Formatspezifikation Leitweg-ID", 2.0.2). */
const shape = /^\d{2,12}(?:-[0-9A-Z]{1,30})?-\d{2}$/u;

/** Maximum characters of a Leitweg-ID. */
export const leitwegIdLimit = 46;

/**
 * Returns true for the address of a public buyer in Germany, such as `991-03730-19`: its shape and check digits
 * (ISO 7064, modulo 97-10) are right.
 */
export function isLeitwegId(text: string): boolean {
  return shape.test(text) && remainder(text.replaceAll("-", "")) === 1;
}

/** Reads letters as 10 to 35, as ISO 7064 does. */
function remainder(text: string): number {
  const digits = text.replaceAll(/[A-Z]/gu, (letter) => String(Number.parseInt(letter, 36)));
  return Number(BigInt(digits) % 97n);
}
