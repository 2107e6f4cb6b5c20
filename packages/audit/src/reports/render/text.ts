import { formatEuros } from "@hostledger/core";

/** Removes characters that control a terminal, break the line or change direction; outsiders write these texts. */
export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\t\r\n\u2028\u2029]+/gu, " ")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, "\u{fffd}");
}

/** Formats cents as euros with thousands separators: `1,234.50`. */
export function groupedEuros(cents: bigint): string {
  return formatEuros(cents).replaceAll(/\B(?=(?:\d{3})+\.)/gu, ",");
}

/** Aligns rows in columns, ending with a newline. @param right indexes of right-aligned columns. */
export function columns(
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set<number>(),
): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
    });
  }
  return rows
    .map((row) => {
      const cells = row.map((cell, index) => {
        const blanks = " ".repeat((widths[index] ?? 0) - widthOf(cell));
        return right.has(index) ? blanks + cell : cell + blanks;
      });
      return `${cells.join("  ").trimEnd()}\n`;
    })
    .join("");
}

function widthOf(text: string): number {
  return Array.from(text).length;
}
