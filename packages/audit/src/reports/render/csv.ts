import { plainLine } from "./text.ts";

/** Start of a formula in spreadsheets, including East Asian full-width characters. */
const formulaStart = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;

/** Writes untrusted text as a cell: one line, never a formula (OWASP, "CSV Injection"). */
export function textCell(text: string): string {
  const line = plainLine(text);
  return quoted(formulaStart.test(line) || /^[\t\r\n]/u.test(text) ? `'${line}` : line);
}

/** Writes our own number or word as a cell; a negative amount stays a number. */
export function ownCell(value: string | number | bigint): string {
  return quoted(String(value));
}

export function csvRow(cells: readonly string[]): string {
  return `${cells.join(",")}\r\n`;
}

function quoted(text: string): string {
  return /[",;\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
