import { toASCII, toUnicode } from "tr46";

/** The strictest UTS 46: STD 3's letters, RFC 5893 for right-to-left labels, RFC 5892 appendix A.1 for joiners. */
const processing = {
  checkBidi: true,
  checkHyphens: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
} as const;

// RFC 5892 §2.1 (letters and digits) with the exceptions of §2.6. UTS 46 refuses characters that mapping changes (§2.2).
const permitted =
  /^[-\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u00B7\u0375\u05F3\u05F4\u06FD\u06FE\u0F0B\u200C\u200D\u3007\u30FB]+$/u;

// RFC 5892 §2.6 (refused exceptions), §2.4 (musical and combining symbols), §2.9 (old Hangul).
const refused =
  /[\u0640\u07FA\u302E\u302F\u3031-\u3035\u303B\u20D0-\u20FF\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7FB\u{1D100}-\u{1D24F}]/u;
// RFC 5892 §2.3: invisible characters, except joiners, which UTS 46 checks.
const unseen = /(?![\u200C\u200D])\p{Default_Ignorable_Code_Point}/u;

// RFC 5892 appendix A.3 to A.9: characters that need certain neighbours, and digits that must not be mixed.
const misplaced =
  /(?<!l)\u00B7|\u00B7(?!l)|\u0375(?!\p{Script=Greek})|(?<!\p{Script=Hebrew})[\u05F3\u05F4]|[\u0660-\u0669].*[\u06F0-\u06F9]|[\u06F0-\u06F9].*[\u0660-\u0669]/u;
const japanese = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;

/**
 * Returns the error of a label with hyphens in its third and fourth places (RFC 5891 §4.2.3.1). Only an encoded label may
 * have them, and it must encode a label of IDNA 2008.
 * @param label in lower case, of letters, digits and inner hyphens.
 */
export function objectionToHyphens(label: string): string | undefined {
  if (!label.startsWith("--", 2)) return undefined;
  if (!label.startsWith("xn--"))
    return "must not have hyphens as its third and fourth characters, except after xn";
  return isEncodedLabel(label) ? undefined : "must be valid IDNA 2008 where it begins with xn--";
}

/** Decodes an encoded label for display; returns other labels unchanged. */
export function shownLabel(label: string): string {
  return label.startsWith("xn--") ? toUnicode(label, processing).domain : label;
}

/** Checks IDNA 2008, which allows only letters and digits (RFC 5892); UTS 46 also accepts symbols of IDNA 2003. */
function isEncodedLabel(label: string): boolean {
  const { domain: shown, error } = toUnicode(label, processing);
  // A label has only one encoding, or two names would look the same (RFC 5891 §5.4).
  return !error && toASCII(shown, processing) === label && isRegistrable(shown);
}

function isRegistrable(shown: string): boolean {
  const isPermitted = permitted.test(shown) && !refused.test(shown) && !unseen.test(shown);
  return isPermitted && !misplaced.test(shown) && (!shown.includes("\u30FB") || japanese.test(shown));
}
