import { eventually, type VirtualClock } from "@hostledger/runtime/testing";

import { hear, type Testimony } from "../books.ts";
import { commandInProcess, type Answered } from "../command-in-process.ts";
import type { Instance } from "../instance.ts";
import { objectOf } from "../matchers.ts";
import { customerAt } from "../staff-client.ts";
import { allEnded, lookAtEnding, type Ending, type Purchase } from "./late-table.ts";

/** An instance in which everything has come to rest. */
export interface SettledTable {
  /** By the name of the row. */
  readonly endings: ReadonlyMap<string, Ending>;
  /** For the audit of the books. */
  readonly testimony: Testimony;
  /** `hostledger audit reconcile`. */
  readonly reconciled: Answered;
  /** `hostledger admin sandbox show`. */
  readonly shown: Answered;
}

/** Waits until all runs have ended, and reads the results. */
export async function settledTable(
  instance: Instance,
  clock: VirtualClock,
  purchases: readonly Purchase[],
): Promise<SettledTable> {
  const { baseUrl, staff } = instance;
  await allEnded(clock, staff);
  const holdings = await staff.domains.showSandbox({});
  const endings = new Map<string, Ending>();
  for (const purchase of purchases)
    endings.set(purchase.name, await lookAtEnding(baseUrl, holdings, purchase));
  const customers = purchases.map(({ customer }) => customerAt(baseUrl, customer));
  return {
    endings,
    testimony: await hear(staff, customers),
    reconciled: await reconciled(instance, clock),
    shown: await commandInProcess(instance, clock, "admin", "sandbox", "show"),
  };
}

/** Reconciles repeatedly, because the log is signed at intervals and the last events may not be signed yet. */
function reconciled(instance: Instance, clock: VirtualClock): Promise<Answered> {
  return eventually(
    clock,
    async () => {
      const answered = await commandInProcess(instance, clock, "audit", "reconcile");
      const { unfinished } = objectOf(objectOf(answered.document).charges);
      if (unfinished !== 0) throw new Error(`charges whose runs are unfinished: ${String(unfinished)}`);
      return answered;
    },
    { everyMs: 1_000 },
  );
}
