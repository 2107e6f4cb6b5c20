import { hostingCodec, readMetadata, type HostingEvent } from "@hostledger/core";
import type { LogEvent } from "@hostledger/transparency";

/** What an account had, and since when. */
export interface BalanceState {
  readonly cents: bigint;
  /** When the movement was stored that led to it; undefined before the first one. */
  readonly movedAt: string | undefined;
}

/** Types of the facts that tell what accounts have. */
export const balanceTypes = [
  "AccountOpened",
  "BalanceCredited",
  "BalanceAdjusted",
  "BalanceCharged",
  "RegistrationRefunded",
  "ChargeRefunded",
  "RefundGranted",
] as const satisfies readonly HostingEvent["type"][];

const storedTypes: ReadonlySet<string> = new Set(balanceTypes);

/** What accounts had at a checkpoint, and each state since then. */
export interface BalanceHistories {
  /** Takes an event up to the checkpoint. What cannot be read moves nothing: verifying reports it. */
  readonly see: (event: LogEvent) => void;
  /** Takes one after it. */
  readonly seeLater: (event: LogEvent) => void;
  /** The state at the checkpoint, undefined for an account that was not open then, and those after it. */
  readonly of: (accountId: number) => AccountHistory | undefined;
  readonly accountIds: () => IterableIterator<number>;
}

/** One account's part of it. */
export interface AccountHistory {
  readonly atCheckpoint: BalanceState | undefined;
  readonly later: readonly BalanceState[];
}

/** Keeps one state for each account, and one for each movement after the checkpoint. */
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
  /** Undefined for the opening, which is no movement. */
  readonly at: string | undefined;
}

function after(state: BalanceState | undefined, { cents, at }: Change): BalanceState {
  return { cents: (state?.cents ?? 0n) + cents, movedAt: at ?? state?.movedAt };
}

function changeOf({ stream, type, time, data, metadata }: LogEvent): Change | undefined {
  const digits = /^account-([1-9]\d{0,14})$/u.exec(stream)?.[1];
  if (digits === undefined || !storedTypes.has(type.replace(/\.v\d+$/u, ""))) return undefined;
  const accountId = Number(digits);
  // A sealed name is longer than the rules for names allow, and here an opening is an opening.
  if (type.startsWith("AccountOpened.")) return { accountId, cents: 0n, at: undefined };
  const cents = centsOf(type, data, metadata);
  return cents === undefined ? undefined : { accountId, cents, at: time };
}

function centsOf(type: string, data: string, metadata: string): bigint | undefined {
  const event = decoded(type, data, metadata);
  switch (event?.type) {
    case "BalanceCredited":
    case "BalanceAdjusted":
      return BigInt(event.data.amountCents);
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
