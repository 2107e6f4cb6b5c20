/**
 * Loaded before the program with `--import`: plants the mistake that the power cuts have to find. The event store then
 * commits without waiting for the disk, as `synchronous=NORMAL` does.
 */
import { DatabaseSync } from "node:sqlite";

const exec: unknown = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, "exec")?.value;
if (typeof exec !== "function") throw new Error("node:sqlite has changed: nothing was planted");

Object.defineProperty(DatabaseSync.prototype, "exec", {
  value(this: DatabaseSync, sql: string): void {
    Reflect.apply(exec, this, [sql.replaceAll("synchronous = FULL", "synchronous = NORMAL")]);
  },
});
