import { datevMostPostings } from "./datev-format.ts";

/** A cell of a DATEV file: bare, or text in quotation marks. */
interface Cell {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** A rule of DATEV's description of the format for one column or field of the header. */
interface Rule {
  readonly pattern: RegExp;
  readonly isText?: boolean;
  readonly isRequired?: boolean;
}

const number = (pattern: RegExp, isRequired = false): Rule => ({ pattern, isRequired });
const text = (most: number, isRequired = false): Rule => ({
  pattern: new RegExp(`^[\\x20-\\x7e\\xa0-\\xff]{0,${String(most)}}$`, "u"),
  isText: true,
  isRequired,
});
const exactly = (pattern: RegExp, isRequired = false): Rule => ({ pattern, isText: true, isRequired });

const day = "(?:0[1-9]|[12]\\d|3[01])";
const month = "(?:0[1-9]|1[0-2])";
const compact = new RegExp(`^20\\d\\d${month}${day}$`, "u");
const dayFirst = new RegExp(`^${day}${month}20\\d\\d$`, "u");

/** The fields of the header by position (DATEV, "Aufbau der Kopfzeile", header version 700). */
const headerRules = (category: "16" | "21"): readonly Rule[] => [
  exactly(/^EXTF$/u, true),
  number(/^700$/u, true),
  number(new RegExp(`^${category}$`, "u"), true),
  exactly(category === "21" ? /^Buchungsstapel$/u : /^Debitoren\/Kreditoren$/u, true),
  number(category === "21" ? /^13$/u : /^5$/u, true),
  number(/^20\d{15}$/u, true),
  number(/^$/u),
  exactly(/^[A-Z]{2}$/u),
  text(25),
  text(25),
  number(/^[1-9]\d{3,6}$/u, true),
  number(/^[1-9]\d{0,4}$/u, true),
  number(compact, true),
  number(/^[4-8]$/u, true),
  number(category === "21" ? compact : /^$/u, category === "21"),
  number(category === "21" ? compact : /^$/u, category === "21"),
  text(30),
  exactly(/^(?:[A-Z]{2})?$/u),
  number(category === "21" ? /^[12]$/u : /^$/u),
  number(category === "21" ? /^(?:0|30|40|50|64)$/u : /^$/u),
  number(category === "21" ? /^[01]$/u : /^$/u),
  exactly(/^[A-Z]{3}$/u),
  number(/^$/u),
  exactly(/^$/u),
  number(/^$/u),
  number(/^$/u),
  exactly(/^(?:\d{2}|\d{4})?$/u),
  number(/^\d{0,4}$/u),
  number(/^$/u),
  exactly(/^$/u),
  text(16),
];

/** The columns that this project fills (DATEV, "Buchungsstapel", format version 13). All others must be empty. */
const postingRules: Readonly<Record<string, Rule>> = {
  "Umsatz (ohne Soll/Haben-Kz)": number(/^(?!0{1,10},00$)\d{1,10},\d\d$/u, true),
  "Soll/Haben-Kennzeichen": exactly(/^[SH]$/u, true),
  "WKZ Umsatz": exactly(/^[A-Z]{3}$/u),
  Konto: number(/^[1-9]\d{3,8}$/u, true),
  "Gegenkonto (ohne BU-Schlüssel)": number(/^[1-9]\d{3,8}$/u, true),
  Belegdatum: number(new RegExp(`^${day}${month}$`, "u"), true),
  "Belegfeld 1": exactly(/^[A-Za-z0-9$&%*+\-/]{1,36}$/u, true),
  Buchungstext: text(60),
  "Beleginfo - Art 1": text(20),
  "Beleginfo - Inhalt 1": text(210),
  "EU-Land u. UStID (Bestimmung)": exactly(/^[A-Z]{2}[A-Z0-9+*]{0,13}$/u),
  "EU-Steuersatz (Bestimmung)": number(/^\d{1,2},\d\d$/u),
  "Zusatzinformation - Art 1": text(20),
  "Zusatzinformation- Inhalt 1": text(210),
  "Zusatzinformation - Art 2": text(20),
  "Zusatzinformation- Inhalt 2": text(210),
  Leistungsdatum: number(dayFirst),
  "Datum Zuord. Steuerperiode": number(dayFirst),
};

/** The same of "Debitoren/Kreditoren", format version 5. */
const customerRules: Readonly<Record<string, Rule>> = {
  Konto: number(/^[1-6]\d{4,8}$/u, true),
  "Name (Adressattyp Unternehmen)": text(50),
  "Name (Adressattyp natürl. Person)": text(30),
  "Name (Adressattyp keine Angabe)": text(50),
  Adressattyp: exactly(/^[012]$/u, true),
  Kurzbezeichnung: text(15, true),
  "EU-Land": exactly(/^[A-Z]{2}$/u),
  "EU-UStID": exactly(/^[A-Z0-9+*]{1,13}$/u),
  Adressart: exactly(/^(?:STR|PF|GK)$/u),
  Straße: text(36),
  Postleitzahl: text(10),
  Ort: text(30),
  Land: exactly(/^[A-Z]{2}$/u),
  Telefon: text(60),
  "E-Mail": text(60),
  Kundennummer: text(15),
};

/**
 * Checks a file by DATEV's published rules of header and columns, without the product's code.
 * @returns a sentence for each breach.
 */
export function datevBreaches(file: string, category: "16" | "21"): readonly string[] {
  const breaches: string[] = [];
  if (!file.endsWith("\r\n")) breaches.push("the last line does not end with CR LF");
  const [header = "", columns = "", ...rest] = file.split("\r\n");
  const lines = rest.slice(0, -1);
  const headerCells = cellsOf(header);
  const rules = headerRules(category);
  if (headerCells.length !== rules.length)
    breaches.push(`the header has ${String(headerCells.length)} fields`);
  rules.forEach((rule, index) => {
    breaches.push(...breachesOf(`header field ${String(index + 1)}`, headerCells[index], rule));
  });
  const names = columns.split(";");
  const expected = category === "21" ? 125 : 254;
  if (names.length !== expected) breaches.push(`there are ${String(names.length)} columns`);
  if (category === "21" && lines.length > datevMostPostings) breaches.push("there are too many postings");
  const [, , , , , , , , , , , , , length = "", from = "", to = ""] = headerCells.map((cell) => cell.text);
  const columnRules = category === "21" ? postingRules : customerRules;
  for (const [index, line] of lines.entries()) {
    const at = `line ${String(index + 3)}`;
    const cells = cellsOf(line);
    if (cells.length !== expected) breaches.push(`${at} has ${String(cells.length)} cells`);
    names.forEach((name, column) => {
      const rule = columnRules[name] ?? number(/^$/u);
      breaches.push(...breachesOf(`${at}, ${name}`, cells[column], rule));
    });
    const cell = (name: string): string => cells[names.indexOf(name)]?.text ?? "";
    if (category === "21") breaches.push(...breachesTogether(at, cell, { length: Number(length), from, to }));
  }
  return breaches;
}

/** Checks DATEV's rules about several cells together. */
function breachesTogether(
  at: string,
  cell: (name: string) => string,
  { length, from, to }: { readonly length: number; readonly from: string; readonly to: string },
): readonly string[] {
  const breaches: string[] = [];
  const date = cell("Belegdatum");
  const written = `${from.slice(0, 4)}${date.slice(2)}${date.slice(0, 2)}`;
  if (written < from || written > to) breaches.push(`${at}: the date is outside the batch`);
  if (![length, length + 1].includes(cell("Konto").length))
    breaches.push(`${at}: Konto is neither a general nor a personal account`);
  if (cell("Gegenkonto (ohne BU-Schlüssel)").length !== length)
    breaches.push(`${at}: Gegenkonto is no general account`);
  if ((cell("Leistungsdatum") === "") !== (cell("Datum Zuord. Steuerperiode") === ""))
    breaches.push(`${at}: Leistungsdatum and Datum Zuord. Steuerperiode belong together`);
  if (cell("EU-Steuersatz (Bestimmung)") !== "" && cell("EU-Land u. UStID (Bestimmung)") === "")
    breaches.push(`${at}: EU-Steuersatz needs EU-Land`);
  return breaches;
}

function breachesOf(where: string, cell: Cell | undefined, rule: Rule): readonly string[] {
  if (cell === undefined) return [`${where} is missing`];
  if (cell.text === "") return rule.isRequired === true ? [`${where} is empty`] : [];
  if (cell.isQuoted !== (rule.isText ?? false)) return [`${where} has wrong quotation marks`];
  return rule.pattern.test(cell.text) ? [] : [`${where} breaks its rule: ${cell.text}`];
}

function cellsOf(line: string): readonly Cell[] {
  return [...line.matchAll(/(?:^|;)(?:"((?:[^"]|"")*)"|([^";]*))(?=;|$)/gu)].map(([, inQuotes, bare = ""]) =>
    inQuotes === undefined
      ? { text: bare, isQuoted: false }
      : { text: inQuotes.replaceAll('""', '"'), isQuoted: true },
  );
}
