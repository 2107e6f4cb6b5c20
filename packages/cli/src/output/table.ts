import { styleText } from "node:util";

/** Value of a cell; null, undefined and empty text are printed as a dash. */
export type Cell = string | number | boolean | null | undefined;

export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => Cell;
  /** Aligns numbers by their last digit. */
  readonly align?: "right";
}

const colours: Readonly<Record<string, "red" | "yellow" | "green">> = {
  active: "green",
  cancelled: "yellow",
  damaged: "red",
  emergency: "red",
  expired: "yellow",
  failed: "red",
  parked: "red",
  revoked: "yellow",
  suspended: "red",
};

/** Formats rows in columns below headings, or "none"; ends with a newline. `reply` removes colours if needed. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  if (rows.length === 0) return "none\n";
  const lines = [
    columns.map((column) => column.heading.toUpperCase()),
    ...rows.map((row) => columns.map((column) => cellText(column.cell(row)))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? ""))));
  const [heading = "", ...others] = lines.map((line) => layOut(line, columns, widths));
  return `${coloured("bold", heading.trimEnd())}\n${others.join("")}`;
}

/** Formats one item, a field per line; ends with a newline. */
export function fields(entries: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(entries).map(widthOf));
  return Object.entries(entries)
    .map(
      ([name, value]) => `${coloured("bold", name)}${blanksAfter(name, width)}  ${shown(cellText(value))}\n`,
    )
    .join("");
}

function layOut<Row>(
  cells: readonly string[],
  columns: readonly Column<Row>[],
  widths: readonly number[],
): string {
  const padded = cells.map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.align));
  return `${padded.join("  ").trimEnd()}\n`;
}

function pad(text: string, width: number, align?: "right"): string {
  const blanks = blanksAfter(text, width);
  return align === "right" ? blanks + shown(text) : shown(text) + blanks;
}

function blanksAfter(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text)));
}

function shown(text: string): string {
  const colour = Object.hasOwn(colours, text) ? colours[text] : undefined;
  return colour === undefined ? text : coloured(colour, text);
}

/** Colours a text always; `reply` removes colours if needed. */
function coloured(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { validateStream: false });
}

function widthOf(text: string): number {
  return Array.from(text).length;
}

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined || cell === "") return "-";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return printable(shownTime(String(cell)));
}

/** Shortens an instant to seconds; other texts stay unchanged. `--json` contains microseconds. */
export function shownTime(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{6}Z$/u, "$1Z");
}

/** Replaces control characters, because texts of customers must not send escape sequences to a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, "\u{fffd}");
}

/** Replaces control characters in each line of a text. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/u).map(printable).join("\n");
}
