/**
 * Country codes of one and of two digits (ITU-T E.164, list of assigned codes); all others have three. No code is the
 * beginning of another one.
 */
const shortCodes = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/**
 * A telephone number as EPP writes it (RFC 5733 §2.5), `+49.3012345678`, of one that is written so or as E.164 does,
 * `+493012345678`.
 * @returns undefined for what is no number of 7 to 15 digits with its country's code.
 */
export function eppPhone(text: string): string | undefined {
  const [, first = "", dot, rest = ""] = /^\+(\d{1,15})(?:(\.)(\d{1,14}))?$/.exec(text) ?? [];
  const digits = first + rest;
  if (digits.length < 7 || digits.length > 15 || digits.startsWith("0")) return undefined;
  const code = shortCodes.exec(digits)?.[0] ?? digits.slice(0, 3);
  // A dot anywhere else makes another country of it.
  return dot !== undefined && first !== code ? undefined : `+${code}.${digits.slice(code.length)}`;
}
