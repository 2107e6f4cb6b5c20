import { plainLine } from "./text.ts";

/** What a spreadsheet takes for the beginning of a formula, also in the wide forms of East Asian scripts. */
const formulaStart = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;

/** A text of others as a cell: never a formula (OWASP, "CSV Injection"), and one line. */
export function textCell(text: string): string {
  const line = plainLine(text);
  return quoted(formulaStart.test(line) || /^[\t\r\n]/u.test(text) ? `'${line}` : line);
}

/** A figure or a word of ours as a cell; a negative amount stays a number. */
export function ownCell(value: string | number | bigint): string {
  return quoted(String(value));
}

/** A row as RFC 4180 has it. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.join(",")}\r\n`;
}

function quoted(text: string): string {
  return /[",;\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
