import type { DocumentTexts } from "./document-texts.ts";

const amount = (euros: string): string => euros.replace(".", ",");
const day = (text: string): string => text.split("-").toReversed().join(".");

/** Descriptions of lines as the core writes them (`pricing/`, `transfer.process.ts`), and their German texts. */
const lines: readonly (readonly [RegExp, string])[] = [
  [/^Registration of (.+), per year$/u, "Registrierung von $1, je Jahr"],
  [/^Renewal of (.+), per year$/u, "Verlängerung von $1, je Jahr"],
  [/^Restoration of (.+), with a year$/u, "Wiederherstellung von $1, mit einem Jahr"],
  [/^Transfer of (.+), with a year$/u, "Umzug von $1, mit einem Jahr"],
  [/^Balance top-up$/u, "Aufladung des Guthabens"],
];

const serverLine =
  /^(Renewal of a server|Server) (.+), (\d+) months?, (\d+\.\d\d) EUR a month(?:, (\d+) % discount)?(?:, (\d+) % surcharge while suspended)?$/u;

function line(description: string): string {
  const [, sale, plan = "", months = "", monthly = "", discount, surcharge] =
    serverLine.exec(description) ?? [];
  if (sale !== undefined)
    return [
      `${sale === "Server" ? "Server" : "Verlängerung eines Servers"} ${plan}`,
      `${months} ${months === "1" ? "Monat" : "Monate"}`,
      `${amount(monthly)} EUR im Monat`,
      ...(discount === undefined ? [] : [`${discount} % Rabatt`]),
      ...(surcharge === undefined ? [] : [`${surcharge} % Zuschlag während der Sperre`]),
    ].join(", ");
  const [pattern, german = ""] = lines.find(([each]) => each.test(description)) ?? [];
  return pattern === undefined ? description : description.replace(pattern, german);
}

export const de: DocumentTexts = {
  amount,
  day,
  period: (from, to) => (from === to ? day(from) : `${day(from)} bis ${day(to)}`),
  line,
  titles: {
    invoice: "Rechnung",
    correction: "Rechnungskorrektur",
    receipt: "Zahlungsbeleg",
    cancellation: "Storno eines Zahlungsbelegs",
  },
  to: "An",
  from: "Von",
  vatId: "USt-IdNr.",
  taxNumber: "Steuernummer",
  customerNumber: "Kundennummer",
  number: "Nummer",
  date: "Datum",
  supplied: "Leistungszeitraum",
  correctsInvoice: "Korrigiert Rechnung",
  cancelsReceipt: "Storniert Zahlungsbeleg",
  numberOf: (number, text) => `${number} vom ${text}`,
  reason: "Grund",
  paymentReference: "Zahlungsreferenz",
  description: "Beschreibung",
  quantity: "Menge",
  price: { net: "Preis (netto, EUR)", gross: "Preis (brutto, EUR)" },
  lineAmount: { net: "Betrag (netto, EUR)", gross: "Betrag (brutto, EUR)" },
  returnOf: (kind, number) =>
    kind === "invoice" ? `Rückgabe der Rechnung ${number}` : `Rückgabe der Zahlung ${number}`,
  net: "Netto",
  vat: (rate) => `USt ${rate}`,
  vatContained: (rate) => `Enthaltene USt, ${rate}`,
  total: "Gesamt",
  received: "Erhalten",
  returned: "Zurückgebucht",
  paid: "Aus Ihrem Guthaben bezahlt. Es ist nichts mehr zu zahlen.",
  paidBack: "Der Betrag wurde Ihrem Guthaben gutgeschrieben. Es ist nichts mehr zu zahlen.",
  thanks: "Vielen Dank für Ihre Zahlung. Sie wurde Ihrem Guthaben gutgeschrieben.",
  receiptIsNoInvoice:
    "Dieser Zahlungsbeleg ist keine Rechnung im Sinne des UStG: Berechnet wird, was Sie vom Guthaben kaufen.",
  takenBack: "Die Zahlung wurde zurückgebucht. Ihr Betrag wurde Ihrem Guthaben entnommen.",
  cancellationIsNoInvoice: "Dieses Dokument ist keine Rechnung im Sinne des UStG.",
  paymentRequest: {
    title: "Zahlungsaufforderung",
    payee: "Empfänger",
    amount: "Betrag",
    reference: "Verwendungszweck",
    howToPay:
      "Lesen Sie den QR-Code mit Ihrer Banking-App, oder überweisen Sie den Betrag mit genau diesem Verwendungszweck. Was eingeht, wird Ihrem Guthaben gutgeschrieben.",
    isNoInvoice: "Diese Zahlungsaufforderung ist keine Rechnung im Sinne des UStG.",
  },
  notPaid: (text, cancelledBy) =>
    `Nicht bezahlt: Die Zahlung wurde am ${day(text)} zurückgebucht.${
      cancelledBy === undefined ? "" : ` Dokument ${cancelledBy} storniert diesen Zahlungsbeleg.`
    }`,
  placeholderNotice:
    "Der Verkäufer ist ein Platzhalter: Dieser Installation wurde nicht gesagt, wer verkauft. Dies ist keine gültige Rechnung.",
  missing: (codes) => `\uFFFD steht für Zeichen, die den Schriften dieser Datei fehlen: ${codes}.`,
  page: (page, pages) => `Seite ${String(page)} von ${String(pages)}`,
  exempt: "Umsatzsteuerfrei.",
  fromBalance: "Aus dem Guthaben bezahlt",
  toBalance: "Dem Guthaben gutgeschrieben",
  correctionNote: (number, reason) => `Korrektur der Rechnung ${number}: ${reason}`,
};
