import { erasedText } from "@hostledger/core";
import { mapInParts } from "@hostledger/runtime";

import { openSealed, readSealed } from "./sealed-text.ts";
import { subjectOfAccount, type TextKeys } from "./subject-keys.port.ts";

/** Rows opened before other work gets its turn, which takes some milliseconds. */
const openedAtOnce = 100;

/** The personal columns of a row: its account, and the event field of each text. */
export interface PersonalColumns<Row extends object> {
  /** Null if the row belongs to no account and stays unchanged. */
  readonly account: (row: Row) => number | null;
  readonly texts: Readonly<Partial<Record<keyof Row & string, string>>>;
}

/** Opens the sealed texts of rows with one query for all keys. Erased persons' texts always become `[erased]`. */
export async function openRows<Row extends object>(
  keys: TextKeys,
  rows: readonly Row[],
  { account, texts }: PersonalColumns<Row>,
): Promise<Row[]> {
  const subjectOf = (row: Row): string | undefined => {
    const id = account(row);
    return id === null ? undefined : subjectOfAccount(id);
  };
  const subjects = new Set(rows.map(subjectOf).filter((subject) => subject !== undefined));
  if (subjects.size === 0) return [...rows];
  const found = await keys.find([...subjects]);
  const fields = Object.entries<unknown>(texts);
  return mapInParts(rows, openedAtOnce, (row) => {
    const subject = subjectOf(row);
    if (subject === undefined) return row;
    const key = found.get(subject);
    const opened: Record<string, string> = {};
    for (const [column, field] of fields) {
      const text: unknown = Reflect.get(row, column);
      if (typeof field !== "string" || typeof text !== "string") continue;
      if (key === "destroyed") opened[column] = erasedText;
      else {
        const sealed = readSealed(text);
        if (sealed?.subject === subject) opened[column] = openSealed(sealed, key, field, keys.onLoss);
      }
    }
    return { ...row, ...opened };
  });
}
