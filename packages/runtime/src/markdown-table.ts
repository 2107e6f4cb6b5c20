/** Returns a Markdown table with the heading first, in the formatter's layout. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const padded = rows.map((row) => line(widths.map((width, column) => (row[column] ?? "").padEnd(width))));
  const [heading = "", ...body] = padded;
  return [heading, line(widths.map((width) => "-".repeat(width))), ...body].join("");
}
