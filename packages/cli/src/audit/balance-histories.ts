import { hostingCodec, readMetadata, type HostingEvent } from "@hostledger/core";
import type { LogEvent } from "@hostledger/audit/log";

/** Balance of an account after a movement. */
export interface BalanceState {
  readonly cents: bigint;
  /** Time when the movement was stored; undefined before the first movement. */
  readonly movedAt: string | undefined;
}

export const balanceTypes = [
  "AccountOpened",
  "BalanceCredited",
  "BalanceAdjusted",
  "BalancePaidOut",
  "PaidOutReturned",
  "BalanceCharged",
  "RegistrationRefunded",
  "ChargeRefunded",
  "RefundGranted",
] as const satisfies readonly HostingEvent["type"][];

const storedTypes: ReadonlySet<string> = new Set(balanceTypes);

/** Balances of accounts at a checkpoint and after each later movement. */
export interface BalanceHistories {
  /** Applies an event up to the checkpoint. Unreadable events are ignored, because verification reports them. */
  readonly see: (event: LogEvent) => void;
  /** Applies an event after the checkpoint. */
  readonly seeLater: (event: LogEvent) => void;
  /** Returns the balance at the checkpoint, undefined if the account was not open yet, and later balances. */
  readonly of: (accountId: number) => AccountHistory | undefined;
  readonly accountIds: () => IterableIterator<number>;
}

export interface AccountHistory {
  readonly atCheckpoint: BalanceState | undefined;
  readonly later: readonly BalanceState[];
}

/** Creates the histories: one balance per account, and one per movement after the checkpoint. */
export function balanceHistories(): BalanceHistories {
  const accounts = new Map<number, { atCheckpoint: BalanceState | undefined; later: BalanceState[] }>();
  const historyOf = (accountId: number) => {
    const history = accounts.get(accountId) ?? { atCheckpoint: undefined, later: [] };
    accounts.set(accountId, history);
    return history;
  };
  return {
    see(event) {
      const change = changeOf(event);
      if (change === undefined) return;
      const history = historyOf(change.accountId);
      history.atCheckpoint = after(history.atCheckpoint, change);
    },
    seeLater(event) {
      const change = changeOf(event);
      if (change === undefined) return;
      const history = historyOf(change.accountId);
      history.later.push(after(history.later.at(-1) ?? history.atCheckpoint, change));
    },
    of: (accountId) => accounts.get(accountId),
    accountIds: () => accounts.keys(),
  };
}

interface Change {
  readonly accountId: number;
  readonly cents: bigint;
  /** Undefined for the opening of an account, which is no movement. */
  readonly at: string | undefined;
}

function after(state: BalanceState | undefined, { cents, at }: Change): BalanceState {
  return { cents: (state?.cents ?? 0n) + cents, movedAt: at ?? state?.movedAt };
}

function changeOf({ stream, type, time, data, metadata }: LogEvent): Change | undefined {
  const digits = /^account-([1-9]\d{0,14})$/u.exec(stream)?.[1];
  if (digits === undefined || !storedTypes.has(type.replace(/\.v\d+$/u, ""))) return undefined;
  const accountId = Number(digits);
  // Skips decoding, because a sealed name is longer than the limit for names.
  if (type.startsWith("AccountOpened.")) return { accountId, cents: 0n, at: undefined };
  const cents = centsOf(type, data, metadata);
  return cents === undefined ? undefined : { accountId, cents, at: time };
}

function centsOf(type: string, data: string, metadata: string): bigint | undefined {
  const event = decoded(type, data, metadata);
  switch (event?.type) {
    case "BalanceCredited":
    case "BalanceAdjusted":
    case "PaidOutReturned":
      return BigInt(event.data.amountCents);
    case "BalancePaidOut":
      return -BigInt(event.data.amountCents);
    case "BalanceCharged":
      return -BigInt(event.data.grossCents);
    case "RegistrationRefunded":
    case "RefundGranted":
    case "ChargeRefunded":
      return BigInt(event.data.grossCents);
    default:
      return undefined;
  }
}

function decoded(type: string, data: string, metadata: string): HostingEvent | undefined {
  try {
    readMetadata(metadata);
    return hostingCodec.decode(type, data);
  } catch {
    return undefined;
  }
}
