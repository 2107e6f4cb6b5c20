/** What a cell may hold; nothing there is shown as a dash. */
export type Cell = string | number | boolean | null | undefined;

/** A column of a table: its heading and how to read its cell from a row. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => Cell;
  /** Figures stand at the right edge, so that their digits line up. */
  readonly align?: "right";
}

/** Lays rows out below their headings, each column as wide as its widest cell. Ends with a newline. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map((column) => column.heading.toUpperCase()),
    ...rows.map((row) => columns.map((column) => cellText(column.cell(row)))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? ""))));
  return lines.map((line) => layOut(line, columns, widths)).join("");
}

/** Lays out one thing, a field a line. Ends with a newline. */
export function fields(entries: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(entries).map(widthOf));
  return Object.entries(entries)
    .map(([name, value]) => `${pad(name, width)}  ${cellText(value)}\n`)
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
  const blanks = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "right" ? blanks + text : text + blanks;
}

function widthOf(text: string): number {
  return Array.from(text).length;
}

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined || cell === "") return "-";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return printable(String(cell));
}

/**
 * Takes the control characters out of a text. Names and reasons come from customers and from other systems: an escape
 * sequence among them must not reach the terminal of whoever lists them.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, "\u{fffd}");
}

/** The same for a text of several lines, which it keeps. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/u).map(printable).join("\n");
}
