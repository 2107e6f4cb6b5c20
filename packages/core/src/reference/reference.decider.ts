import { accept, CorruptStreamError, reject, type Command, type Decider } from "../kernel/decider.ts";
import type { ReferenceEvent, ReferenceKind } from "./reference.events.ts";

/** Takes a reference for an account. Instants are ISO 8601 UTC with six fractional digits. */
export type TakeReference = Command<
  "TakeReference",
  {
    readonly kind: ReferenceKind;
    readonly reference: string;
    readonly accountId: number;
    /** Previous account of the reference, if staff reversed its payment; otherwise undefined. */
    readonly freedBy?: number | undefined;
    readonly at: string;
  }
>;

/** Accounts that took the reference, in order; the last account has it now. */
export interface ReferenceState {
  readonly takers: readonly number[];
}

/** Maximum accounts of a reference: staff may correct a payment on the wrong account once. */
export const mostTakers = 2;

/** Rules of a reference: one account takes it. Another may take it once, after staff reversed the first payment. */
export const reference: Decider<TakeReference, ReferenceState, ReferenceEvent> = {
  initialState: { takers: [] },
  decide({ data: { at, freedBy, ...wanted } }, { takers }) {
    const last = takers.at(-1);
    if (last === wanted.accountId) return accept();
    const isFree = takers.length < mostTakers && freedBy === last;
    if (last !== undefined && !isFree) return reject("reference-conflict", takenBy(wanted.kind, last));
    return accept({ type: "ReferenceTaken", data: { ...wanted, takenAt: at } });
  },
  evolve({ takers }, { type, data }) {
    if (takers.length >= mostTakers || takers.includes(data.accountId))
      throw new CorruptStreamError(type, `taken by ${takers.join(" and ")}`);
    return { takers: [...takers, data.accountId] };
  },
};

export function takenBy(kind: ReferenceKind, accountId: number): string {
  return `The reference is that of another ${kind}, on account ${String(accountId)}: one of its kind has it on the whole instance.`;
}
