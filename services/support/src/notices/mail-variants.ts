/** Languages that mail is written in. */
export type MailLanguage = "de" | "en";

/** `{name}` is replaced by a member of the notice's data. */
export type MailWords = readonly [subject: string, sentence: string];

/** Texts of mail about a server under a hold. */
export const heldTexts: Readonly<Record<MailLanguage, MailWords>> = {
  en: [
    "Server {server_id} was suspended",
    "Our staff suspended server {server_id}, and it does not run any more: {hold_reason} It cannot be renewed until they release it. Please write to support.",
  ],
  de: [
    "Server {server_id} wurde gesperrt",
    "Unsere Mitarbeiter haben Server {server_id} gesperrt, und er läuft nicht mehr: {hold_reason} Er kann nicht verlängert werden, bis sie ihn freigeben. Bitte wenden Sie sich an den Support.",
  ],
};

/** A receipt is no invoice: mail calls each document by the name that its PDF has. */
export const receiptTexts: Readonly<Record<MailLanguage, MailWords>> = {
  en: [
    "Payment receipt {number}",
    "We received {brutto} for your balance. The payment receipt {number} is attached.",
  ],
  de: [
    "Zahlungsbeleg {number}",
    "Wir haben {brutto} für Ihr Guthaben erhalten. Der Zahlungsbeleg {number} ist angehängt.",
  ],
};

export const topUpTexts: Readonly<Record<"settled" | "failed", Readonly<Record<MailLanguage, MailWords>>>> = {
  settled: {
    en: ["Your payment {topup_id} arrived", "Your payment {topup_id} arrived: {paid} for your balance."],
    de: [
      "Ihre Zahlung {topup_id} ist eingegangen",
      "Ihre Zahlung {topup_id} ist eingegangen: {paid} für Ihr Guthaben.",
    ],
  },
  failed: {
    en: ["Your payment {topup_id} failed", "Your payment {topup_id} brought no money: {failure}."],
    de: [
      "Ihre Zahlung {topup_id} ist gescheitert",
      "Ihre Zahlung {topup_id} hat kein Geld gebracht: {failure}.",
    ],
  },
};

const failures: Readonly<Record<string, Readonly<Record<MailLanguage, string>>>> = {
  declined: { en: "your bank or card declined", de: "Ihre Bank oder Karte hat abgelehnt" },
  mandate_revoked: {
    en: "the stored payment method cannot be charged any more. Automatic top-ups on this method have stopped",
    de: "die gespeicherte Zahlungsart kann nicht mehr belastet werden. Automatische Aufladungen damit sind beendet",
  },
  expired: { en: "it was not paid in time", de: "sie wurde nicht rechtzeitig bezahlt" },
};
const refused = { en: "the payment provider refused", de: "der Zahlungsanbieter hat abgelehnt" };

/** Returns the reason of a failed payment in the customer's language. */
export function failureWords(failure: unknown, language: MailLanguage): string {
  return ((typeof failure === "string" ? failures[failure] : undefined) ?? refused)[language];
}

export const cancellationTexts: Readonly<Record<MailLanguage, MailWords>> = {
  en: [
    "Receipt cancellation {number}",
    "The payment of receipt {corrects_number} was taken back: {brutto} on your balance. The receipt cancellation {number} is attached.",
  ],
  de: [
    "Zahlungsbeleg-Storno {number}",
    "Die Zahlung zum Zahlungsbeleg {corrects_number} wurde zurückgenommen: {brutto} auf Ihrem Guthaben. Der Zahlungsbeleg-Storno {number} ist angehängt.",
  ],
};
