import { erasedText } from "@hostledger/core";
import { mapInParts } from "@hostledger/runtime";

import { openSealed, readSealed } from "./sealed-text.ts";
import { subjectOfAccount, type TextKeys } from "./subject-keys.port.ts";

/** Rows that are opened in a row before others get their turn: some milliseconds. */
const openedAtOnce = 100;

/** Which members of a row are personal: the account they are about, and the sealed field that each of them was. */
export interface PersonalColumns<Row extends object> {
  /** Null: the row is nobody's, and stays as it is. */
  readonly account: (row: Row) => number | null;
  readonly texts: Readonly<Partial<Record<keyof Row & string, string>>>;
}

/**
 * Opens the personal texts of rows that a read model keeps sealed, with one question for all their keys. A person who was
 * erased reads `[erased]` everywhere, also where the text was stored plain, before there were keys; what does not open reads
 * `[not available]`, and the others open all the same.
 */
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
