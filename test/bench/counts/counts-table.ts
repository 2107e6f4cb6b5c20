import { operations, type CountedWork, type OperationName } from "./count-work.ts";
import { workKinds, type WorkKind } from "./counted-instance.ts";

const idleColumn = "a second of nothing";

/** The table of `docs/performance.md`: a row for each kind of work, a column for each operation. */
export function formatCounts({ of, idle }: CountedWork): string {
  const head = ["", ...operations, idleColumn];
  const rows = workKinds.map((kind) => [
    kind,
    ...operations.map((name) => String(Math.round(of.get(name)?.[kind] ?? 0))),
    String(Math.round(idle[kind])),
  ]);
  const lines = [head, head.map((_, column) => (column === 0 ? "---" : "--:")), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** A cell of the table in a document. @throws Error where the document has no such cell. */
export function countIn(document: string, kind: WorkKind, name: OperationName): number {
  const rows = document.split("\n").map((text) => text.split("|").map((cell) => cell.trim()));
  const column = rows.find((cells) => cells.includes(name))?.indexOf(name) ?? -1;
  const count = rows.find(([, first]) => first === kind)?.[column];
  if (count === undefined || count === "") throw new Error(`there is no ${kind} of a ${name}`);
  return Number(count);
}
