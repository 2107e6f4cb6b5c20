import { styleText } from "node:util";

/** What a cell may hold; nothing there is shown as a dash. */
export type Cell = string | number | boolean | null | undefined;

/** A column of a table: its heading and how to read its cell from a row. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => Cell;
  /** Figures stand at the right edge, so that their digits line up. */
  readonly align?: "right";
}

/** What needs somebody's attention stands out wherever a cell says it. */
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

/**
 * Lays rows out below their headings, each column as wide as its widest cell; without rows it says "none". Ends with a
 * newline. Headings and states have colours, which `reply` takes out again where no terminal shows them.
 */
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

/** Lays out one thing, a field a line. Ends with a newline. */
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

/** Whether a terminal sees the text is not known here: `reply` knows. */
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

/** An instant to the second, as people read it; any other text stays. `--json` keeps the microseconds. */
export function shownTime(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{6}Z$/u, "$1Z");
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
