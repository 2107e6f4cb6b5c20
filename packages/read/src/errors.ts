/** The read-model database cannot be used in its present state; the message is a sentence for the operator. */
export class ReadModelError extends Error {
  override readonly name = "ReadModelError";
}

/** A handler inserted a row whose key an earlier event already uses. */
export class RowConflictError extends Error {
  override readonly name = "RowConflictError";
  readonly table: string;
  readonly key: readonly unknown[];

  constructor(table: string, key: readonly unknown[]) {
    super(`table ${table} already has a row with the key ${key.map(String).join(", ")}`);
    this.table = table;
    this.key = key;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
