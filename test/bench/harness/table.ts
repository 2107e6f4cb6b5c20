import { median, spread, type RowResult } from "./result.ts";

/** Spread of samples, as a share of their median, from which it is reported. */
const unrestFrom = 0.5;

/** A row's result under its letter. */
export interface MeasuredRow extends RowResult {
  readonly letter: string;
}

const head = ["", "measured", "ours", "baseline", "the baseline is", "ratio", "aim", "met"] as const;
const rightAligned = new Set([2, 3, 5]);

/** The one table, with its notes under it. */
export function formatTable(rows: readonly MeasuredRow[]): string {
  const cells = rows.flatMap(cellsOf);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const format = (row: readonly string[]): string =>
    widths
      .map((width, column) => {
        const text = row[column] ?? "";
        return rightAligned.has(column) ? text.padStart(width) : text.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("  ");
  const notes = rows.flatMap((row) =>
    [...row.notes, ...unrestOf(row)].map((note) => `(${row.letter}) ${note}`),
  );
  return [format(head), rule, ...cells.map(format), "", ...notes].join("\n");
}

function cellsOf({ letter, lines }: MeasuredRow): string[][] {
  return lines.map(({ subject, ours, baseline, aim }) => [
    `(${letter})`,
    subject,
    rounded(median(ours)),
    rounded(median(baseline.samples)),
    baseline.name,
    (median(ours) / median(baseline.samples)).toFixed(2),
    aim?.text ?? "",
    aim === undefined ? "" : aim.met ? "yes" : "NO",
  ]);
}

function rounded(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });
}

/** Reports widely spread samples, whose median says little. */
function unrestOf({ lines }: MeasuredRow): string[] {
  return lines.flatMap(({ subject, ours, baseline }) => {
    const sides = [
      ["ours", spread(ours)],
      [baseline.name, spread(baseline.samples)],
    ] as const;
    return sides
      .filter(([, apart]) => apart > unrestFrom)
      .map(([side, apart]) => `${subject}: the samples of "${side}" lie ${percent(apart)} apart.`);
  });
}

/** A share as people write it. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
