/**
 * Loaded with `--import` before the instance, in each of its threads: writes a line to the file that `COUNTED_TO` names (`%p` is the process) for
 * every statement that a SQLite database is given and every timer and AbortSignal that is made. Nothing of the program changes for it.
 */
import { createHook } from "node:async_hooks";
import { openSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";

import { lineOf } from "./counted-lines.ts";

const file = openSync((process.env.COUNTED_TO ?? "").replace("%p", String(process.pid)), "a");
const databases = new WeakMap<StatementSync, string>();

createHook({
  init(_id, type) {
    if (type === "Timeout") writeSync(file, lineOf({ kind: "timer" }));
  },
}).enable();

const tellSignal = (): void => {
  writeSync(file, lineOf({ kind: "signal" }));
};
globalThis.AbortController = class extends AbortController {
  constructor() {
    super();
    tellSignal();
  }
};
for (const maker of ["any", "timeout"]) {
  instead(AbortSignal, maker, (_, make) => {
    tellSignal();
    return make();
  });
}

instead(DatabaseSync.prototype, "prepare", (database: DatabaseSync, prepare) => {
  const statement = prepare();
  if (statement instanceof StatementSync) databases.set(statement, nameOf(database));
  return statement;
});
instead(DatabaseSync.prototype, "exec", (database: DatabaseSync, exec, [sql]) => {
  tell(nameOf(database), String(sql));
  return exec();
});
for (const method of ["run", "get", "all", "iterate"]) {
  instead(StatementSync.prototype, method, (statement: StatementSync, call) => {
    tell(databases.get(statement) ?? "", statement.sourceSQL);
    return call();
  });
}

function tell(database: string, sql: string): void {
  writeSync(file, lineOf({ kind: "sql", database, sql }));
}

/** `events.sqlite` → `events`. */
function nameOf(database: DatabaseSync): string {
  return basename(database.location() ?? "memory").replace(/\.sqlite$/, "");
}

/** Puts something before a method of Node's. */
function instead<Self extends object>(
  prototype: Self,
  name: string,
  before: (self: Self, call: () => unknown, args: readonly unknown[]) => unknown,
): void {
  const method: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
  if (typeof method !== "function") throw new Error(`Node has changed: it has no ${name}`);
  Object.defineProperty(prototype, name, {
    value(this: Self, ...args: unknown[]): unknown {
      return before(this, () => Reflect.apply(method, this, args) as unknown, args);
    },
  });
}
