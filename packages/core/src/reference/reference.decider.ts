import { accept, CorruptStreamError, reject, type Command, type Decider } from "../kernel/decider.ts";
import type { ReferenceEvent, ReferenceKind } from "./reference.events.ts";

/** Takes a reference for an account. Instants are ISO 8601 UTC with six fractional digits. */
export type TakeReference = Command<
  "TakeReference",
  {
    readonly kind: ReferenceKind;
    readonly reference: string;
    readonly accountId: number;
    readonly at: string;
  }
>;

/** Whose it is; undefined while it is nobody's. */
export interface ReferenceState {
  readonly accountId: number | undefined;
}

/** The rules of one reference: it is one account's, for good. What is booked under it there, the account's own rules say. */
export const reference: Decider<TakeReference, ReferenceState, ReferenceEvent> = {
  initialState: { accountId: undefined },
  decide({ data: { at, ...wanted } }, { accountId }) {
    if (accountId === wanted.accountId) return accept();
    if (accountId !== undefined) return reject("reference-conflict", takenBy(wanted.kind, accountId));
    return accept({ type: "ReferenceTaken", data: { ...wanted, takenAt: at } });
  },
  evolve({ accountId }, { type, data }) {
    if (accountId !== undefined) throw new CorruptStreamError(type, `taken by ${String(accountId)}`);
    return { accountId: data.accountId };
  },
};

/** What is said to who wants a reference that another account has. */
export function takenBy(kind: ReferenceKind, accountId: number): string {
  return `The reference is that of another ${kind}, on account ${String(accountId)}: one of its kind has it on the whole instance.`;
}
