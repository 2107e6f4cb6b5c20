import type { WorkStore } from "./work-store.ts";
import type { WorkFailure, WorkKey } from "./work.table.ts";

const nameOf = ({ kind, key }: WorkKey): string => `${kind}/${key}`;
const done = Promise.resolve();

/** Keeps failed attempts in memory, for kinds that have their own table of due work. */
export function memoryWorkStore(): WorkStore {
  const failures = new Map<string, WorkFailure>();
  return {
    due: () => Promise.resolve([]),
    awaitingFunds: () => Promise.resolve([]),
    rest: () => done,
    bringForward: () => done,
    makeDue: () => done,
    failureOf: (work) => Promise.resolve(failures.get(nameOf(work))),
    putFailure(failure) {
      failures.set(nameOf(failure), failure);
      return done;
    },
    forgetFailure(work) {
      failures.delete(nameOf(work));
      return done;
    },
  };
}
