import type { NoticeKind } from "@hostledger/core";

import {
  cancellationTexts,
  failureWords,
  heldTexts,
  receiptTexts,
  topUpTexts,
  type MailLanguage,
  type MailWords,
} from "./mail-variants.ts";

/** Texts of mail by kind. `{name}` is replaced by a member of the notice's data. */
const texts: Readonly<Record<NoticeKind, Readonly<Record<MailLanguage, MailWords>>>> = {
  "domain.registered": {
    en: ["{domain_name} is registered", "The domain {domain_name} is registered until {expiry_date}."],
    de: ["{domain_name} ist registriert", "Die Domain {domain_name} ist bis {expiry_date} registriert."],
  },
  "domain.transferred_in": {
    en: [
      "{domain_name} is with us",
      "The domain {domain_name} came over to us. It is paid until {expiry_date}.",
    ],
    de: [
      "{domain_name} ist bei uns",
      "Die Domain {domain_name} ist zu uns gewechselt. Sie ist bis {expiry_date} bezahlt.",
    ],
  },
  "domain.transfer_failed": {
    en: [
      "The transfer of {domain_name} failed",
      "The transfer of {domain_name} to us failed. Its price is back on your balance.",
    ],
    de: [
      "Der Transfer von {domain_name} ist gescheitert",
      "Der Transfer von {domain_name} zu uns ist gescheitert. Der Preis ist wieder auf Ihrem Guthaben.",
    ],
  },
  "domain.expiring": {
    en: [
      "{domain_name} expires on {expiry_date}",
      "The domain {domain_name} expires on {expiry_date} unless it is renewed.",
    ],
    de: [
      "{domain_name} läuft am {expiry_date} ab",
      "Die Domain {domain_name} läuft am {expiry_date} ab, wenn sie nicht verlängert wird.",
    ],
  },
  "domain.renewed": {
    en: ["{domain_name} was renewed", "The domain {domain_name} was renewed until {expiry_date}."],
    de: ["{domain_name} wurde verlängert", "Die Domain {domain_name} wurde bis {expiry_date} verlängert."],
  },
  "domain.renewal_failed": {
    en: [
      "{domain_name} could not be renewed",
      "The domain {domain_name} could not be renewed automatically: {reason}. It expires on {expiry_date}.",
    ],
    de: [
      "{domain_name} konnte nicht verlängert werden",
      "Die Domain {domain_name} konnte nicht automatisch verlängert werden: {reason}. Sie läuft am {expiry_date} ab.",
    ],
  },
  "domain.expired": {
    en: ["{domain_name} has expired", "The domain {domain_name} has expired."],
    de: ["{domain_name} ist abgelaufen", "Die Domain {domain_name} ist abgelaufen."],
  },
  "domain.transferred_away": {
    en: ["{domain_name} has left us", "Another registrar holds the domain {domain_name} now."],
    de: [
      "{domain_name} ist nicht mehr bei uns",
      "Die Domain {domain_name} liegt jetzt bei einem anderen Registrar.",
    ],
  },
  "domain.deleted": {
    en: [
      "{domain_name} was deleted",
      "The domain {domain_name} was deleted. Anyone may register the name now.",
    ],
    de: [
      "{domain_name} wurde gelöscht",
      "Die Domain {domain_name} wurde gelöscht. Jeder kann den Namen jetzt registrieren.",
    ],
  },
  "server.provisioned": {
    en: [
      "Server {server_id} is ready",
      "Server {server_id} is ready at {ip_address}. It is paid until {expiry_date}.",
    ],
    de: [
      "Server {server_id} ist bereit",
      "Server {server_id} ist unter {ip_address} bereit. Er ist bis {expiry_date} bezahlt.",
    ],
  },
  "server.order_failed": {
    en: [
      "The order of server {server_id} failed",
      "The order of server {server_id} failed. Nothing stays charged.",
    ],
    de: [
      "Die Bestellung von Server {server_id} ist gescheitert",
      "Die Bestellung von Server {server_id} ist gescheitert. Es bleibt nichts berechnet.",
    ],
  },
  "server.expiring": {
    en: [
      "Server {server_id} expires on {expiry_date}",
      "Server {server_id} is paid until {expiry_date}. Then it does not run any more, unless it is renewed.",
    ],
    de: [
      "Server {server_id} läuft am {expiry_date} ab",
      "Server {server_id} ist bis {expiry_date} bezahlt. Dann läuft er nicht mehr, wenn er nicht verlängert wird.",
    ],
  },
  "server.renewed": {
    en: ["Server {server_id} was renewed", "Server {server_id} was renewed until {expiry_date}."],
    de: ["Server {server_id} wurde verlängert", "Server {server_id} wurde bis {expiry_date} verlängert."],
  },
  "server.renewal_failed": {
    en: [
      "Server {server_id} could not be renewed",
      "Server {server_id} could not be renewed automatically: {reason}. It is paid until {expiry_date}.",
    ],
    de: [
      "Server {server_id} konnte nicht verlängert werden",
      "Server {server_id} konnte nicht automatisch verlängert werden: {reason}. Er ist bis {expiry_date} bezahlt.",
    ],
  },
  "server.suspended": {
    en: ["Server {server_id} was suspended", "Server {server_id} was suspended and does not run any more."],
    de: ["Server {server_id} wurde gesperrt", "Server {server_id} wurde gesperrt und läuft nicht mehr."],
  },
  "server.unsuspended": {
    en: ["Server {server_id} may run again", "Server {server_id} is no longer suspended and may run again."],
    de: [
      "Server {server_id} darf wieder laufen",
      "Server {server_id} ist nicht mehr gesperrt und darf wieder laufen.",
    ],
  },
  "server.terminating": {
    en: [
      "Server {server_id} is deleted on {terminates_at}",
      "Server {server_id} has expired. It is destroyed on {terminates_at} with all its data, unless it is renewed before.",
    ],
    de: [
      "Server {server_id} wird am {terminates_at} gelöscht",
      "Server {server_id} ist abgelaufen. Er wird am {terminates_at} mit allen seinen Daten gelöscht, wenn er nicht vorher verlängert wird.",
    ],
  },
  "server.terminated": {
    en: ["Server {server_id} was destroyed", "Server {server_id} was destroyed with all its data."],
    de: ["Server {server_id} wurde gelöscht", "Server {server_id} wurde mit allen seinen Daten gelöscht."],
  },
  "invoice.issued": {
    en: ["Invoice {number}", "Invoice {number} over {brutto} was issued. It is attached."],
    de: ["Rechnung {number}", "Die Rechnung {number} über {brutto} wurde ausgestellt. Sie ist angehängt."],
  },
  "invoice.corrected": {
    en: [
      "Correction of an invoice {number}",
      "Invoice {corrects_number} was corrected by {number} over {brutto}. The amount is back on your balance. The correction is attached.",
    ],
    de: [
      "Rechnungskorrektur {number}",
      "Die Rechnung {corrects_number} wurde mit {number} über {brutto} korrigiert. Der Betrag ist wieder auf Ihrem Guthaben. Die Rechnungskorrektur ist angehängt.",
    ],
  },
  "balance.low": {
    en: [
      "Your balance is low",
      "Your balance fell from {balance_before} to {balance}, below the threshold that you chose.",
    ],
    de: [
      "Ihr Guthaben ist niedrig",
      "Ihr Guthaben fiel von {balance_before} auf {balance} und damit unter die Grenze, die Sie gewählt haben.",
    ],
  },
  "balance.in_debt": {
    en: [
      "Reminder: your balance is {balance}",
      "Your balance is {balance} since {debt_since}. Please pay this amount; the reminder costs nothing. Servers and domains cannot be renewed before, and a server that is not renewed is suspended at the end of its paid time. If you have paid already, this mail needs no answer.",
    ],
    de: [
      "Zahlungserinnerung: Ihr Guthaben beträgt {balance}",
      "Ihr Guthaben beträgt seit dem {debt_since} {balance}. Bitte zahlen Sie diesen Betrag; die Erinnerung kostet nichts. Vorher können Server und Domains nicht verlängert werden, und ein Server, der nicht verlängert wird, wird am Ende seiner bezahlten Zeit gesperrt. Wenn Sie schon bezahlt haben, ist diese Mail gegenstandslos.",
    ],
  },
  "topup.settled": topUpTexts.settled,
  "topup.failed": topUpTexts.failed,
  "ticket.opened": {
    en: ["Ticket {ticket_id} was opened", "Ticket {ticket_id} was opened."],
    de: ["Ticket {ticket_id} wurde eröffnet", "Das Ticket {ticket_id} wurde eröffnet."],
  },
  "ticket.answered": {
    en: ["Ticket {ticket_id} was answered", "We answered ticket {ticket_id}."],
    de: ["Ticket {ticket_id} wurde beantwortet", "Wir haben das Ticket {ticket_id} beantwortet."],
  },
  "key.created": {
    en: ["An API key was made", "The API key {prefix}… was made. If that was not you, delete it at once."],
    de: [
      "Ein API-Schlüssel wurde erstellt",
      "Der API-Schlüssel {prefix}… wurde erstellt. Wenn Sie das nicht waren, löschen Sie ihn sofort.",
    ],
  },
};

/** Countries whose customers get German mail. */
const germanCountries: readonly string[] = ["DE", "AT", "CH", "LI"];

/** The language of a customer, by the country of the profile; English where it says none. */
export function languageOf(country: string): MailLanguage {
  return germanCountries.includes(country) ? "de" : "en";
}

/** A mail's subject and its two parts. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Writes the mail about a notice. @param data the notice's, as webhooks get it */
export function mailText(
  kind: NoticeKind,
  data: Readonly<Record<string, unknown>>,
  language: MailLanguage,
): MailText {
  const filled = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/gu, (_, name: string) => wordOf(name, data[name], language));
  const [subject, sentence] = textsOf(kind, data)[language].map(filled);
  if (subject === undefined || sentence === undefined) throw new Error(`no text for ${kind}`);
  const html = `<!doctype html>\n<html lang="${language}"><body><p>${escaped(sentence)}</p></body></html>\n`;
  return { subject, text: `${sentence}\n`, html };
}

function textsOf(
  kind: NoticeKind,
  data: Readonly<Record<string, unknown>>,
): Readonly<Record<MailLanguage, MailWords>> {
  if (kind === "server.suspended" && typeof data.hold_reason === "string") return heldTexts;
  if (kind === "invoice.issued" && data.action === "topup") return receiptTexts;
  if (kind === "invoice.corrected" && data.cancels_receipt === true) return cancellationTexts;
  return texts[kind];
}

const locales = { de: "de-DE", en: "en-GB" };
const reasons = {
  tooLow: { de: "das Guthaben reicht nicht aus", en: "the balance is too low" },
  other: { de: "es war nicht möglich", en: "it was not possible" },
};

/** A member of a notice's data, in words. */
function wordOf(name: string, value: unknown, language: MailLanguage): string {
  if (name === "reason") return reasons[value === "insufficient-balance" ? "tooLow" : "other"][language];
  if (name === "failure") return failureWords(value, language);
  if (name === "hold_reason" && typeof value === "string") return /[.!?]$/u.test(value) ? value : `${value}.`;
  if (typeof value === "string") return dates.has(name) ? dateOf(value, language) : value;
  if (typeof value !== "number") return "–";
  if (name.endsWith("_id")) return String(value);
  return value.toLocaleString(locales[language], { style: "currency", currency: "EUR" });
}

/** Members that are shown as a day. */
const dates: ReadonlySet<string> = new Set(["expiry_date", "terminates_at", "debt_since"]);

function dateOf(instant: string, language: MailLanguage): string {
  return new Date(instant).toLocaleDateString(locales[language], { dateStyle: "long", timeZone: "UTC" });
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
