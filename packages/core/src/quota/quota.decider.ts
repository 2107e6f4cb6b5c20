import { dayOf } from "../calendar/calendar.ts";
import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import { rejection, type Rejection } from "../kernel/rejection.ts";
import { quotaCatalogue, type DailyQuota, type QuotaName, type StandingQuota } from "./quota.catalogue.ts";
import type { QuotaEvent } from "./quota.events.ts";

/** Sets an account's own quota; null restores the standard value. */
export type SetQuota = Command<
  "SetQuota",
  {
    readonly accountId: number;
    readonly quota: QuotaName;
    /** From 0 to `maximumQuota`; null for the standard value. */
    readonly value: number | null;
    readonly reason: string;
  }
>;

/** Reserves a part of a daily quota for a process, which then counts uses itself. */
export type TakeQuota = Command<
  "TakeQuota",
  {
    readonly accountId: number;
    readonly quota: DailyQuota;
    /** Minimum useful amount, above zero. */
    readonly amount: number;
  }
>;

export type QuotaCommand = SetQuota | TakeQuota;

export interface QuotaState {
  /** Values that staff set; other quotas have their standard value. */
  readonly values: Readonly<Partial<Record<QuotaName, number>>>;
  /** UTC day of the latest use; empty before the first. */
  readonly day: string;
  /** Use on that day. */
  readonly taken: Readonly<Record<DailyQuota, number>>;
}

const nothingTaken: QuotaState["taken"] = { ticket_bytes_a_day: 0, free_writes_a_day: 0 };

/**
 * Rules of an account's quotas (stream `quota-<account>`; docs/adr/0048). Processes reserve parts of a daily quota, each
 * with an event, so that more processes or restarts never raise the limit. `standingRefusal` checks standing quotas.
 */
export const quota: Decider<QuotaCommand, QuotaState, QuotaEvent> = {
  initialState: { values: {}, day: "", taken: nothingTaken },
  decide,
  evolve,
};

/** Parts of a daily quota: few events, and a process that ends loses little. */
const partsOfDay = 20;

export function quotaValue({ values }: Pick<QuotaState, "values">, name: QuotaName): number {
  return values[name] ?? quotaCatalogue[name].standard;
}

/** Returns the used part of a daily quota on the day of an instant. */
export function takenOn({ day, taken }: QuotaState, name: DailyQuota, at: string): number {
  return day === dayOf(at) ? taken[name] : 0;
}

/** Returns the rejection of further use; undefined if it is allowed. @param used use without the new request. */
export function standingRefusal(
  state: Pick<QuotaState, "values">,
  name: StandingQuota,
  used: number,
): Rejection | undefined {
  const value = quotaValue(state, name);
  if (used < value) return undefined;
  return exceeded(name, value, quotaCatalogue[name].retryAfterSeconds);
}

function decide(command: QuotaCommand, state: QuotaState): Decision<QuotaEvent> {
  switch (command.type) {
    case "SetQuota": {
      const { at, ...set } = command.data;
      if ((state.values[set.quota] ?? null) === set.value) return accept();
      return accept({ type: "QuotaSet", data: { ...set, setAt: at } });
    }
    case "TakeQuota":
      return take(command, state);
    default:
      return assertNever(command);
  }
}

function take({ data }: TakeQuota, state: QuotaState): Decision<QuotaEvent> {
  const { accountId, quota: name, amount, at } = data;
  // Around midnight, a process with a late clock uses the quota of the day that the state already has.
  const day = state.day > dayOf(at) ? state.day : dayOf(at);
  const value = quotaValue(state, name);
  const left = value - (day === state.day ? state.taken[name] : 0);
  if (amount > left) return { accepted: false, rejection: exceeded(name, value, secondsToMidnight(at)) };
  const part = Math.max(amount, Math.floor(value / partsOfDay));
  const taken = { accountId, quota: name, day, amount: Math.min(part, left), takenAt: at };
  return accept({ type: "QuotaTaken", data: taken });
}

function exceeded(name: QuotaName, value: number, retryAfterSeconds: number): Rejection {
  const { unit, counts } = quotaCatalogue[name];
  const limit = `${String(value)} ${unit}${counts === "a day" ? " a day (UTC)" : ""}`;
  return rejection("quota-exceeded", `The account's quota ${name} is used up: ${limit}.`, {
    quota: name,
    retryAfterSeconds,
  });
}

function evolve(state: QuotaState, event: QuotaEvent): QuotaState {
  switch (event.type) {
    case "QuotaSet": {
      const { quota: name, value } = event.data;
      const { [name]: _former, ...others } = state.values;
      return { ...state, values: value === null ? others : { ...others, [name]: value } };
    }
    case "QuotaTaken": {
      const { quota: name, day, amount } = event.data;
      if (day < state.day) throw new CorruptStreamError(event.type, state.day);
      const taken = day === state.day ? state.taken : nothingTaken;
      return { ...state, day, taken: { ...taken, [name]: taken[name] + amount } };
    }
    default:
      return assertNever(event);
  }
}

const dayMs = 86_400_000;

function secondsToMidnight(at: string): number {
  return Math.max(1, Math.ceil((dayMs - (Date.parse(at) % dayMs)) / 1_000));
}
