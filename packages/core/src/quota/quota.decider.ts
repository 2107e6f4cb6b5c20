import { dayOf } from "../calendar/calendar.ts";
import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import { rejection, type Rejection } from "../kernel/rejection.ts";
import { quotaCatalogue, type DailyQuota, type QuotaName, type StandingQuota } from "./quota.catalogue.ts";
import type { QuotaEvent } from "./quota.events.ts";

/** Gives an account a quota of its own, or the standard one again (null). */
export type SetQuota = Command<
  "SetQuota",
  {
    readonly accountId: number;
    readonly quota: QuotaName;
    /** From 0 to `maximumQuota`. */
    readonly value: number | null;
    readonly reason: string;
  }
>;

/** Takes a part of a daily quota, for a process to give out. */
export type TakeQuota = Command<
  "TakeQuota",
  {
    readonly accountId: number;
    readonly quota: DailyQuota;
    /** The least that helps, above zero. */
    readonly amount: number;
  }
>;

/** What can be asked of an account's quotas. */
export type QuotaCommand = SetQuota | TakeQuota;

/** The quotas of an account, and what is taken of them. */
export interface QuotaState {
  /** Those that staff have set. */
  readonly values: Readonly<Partial<Record<QuotaName, number>>>;
  /** The last UTC day on which anything was taken; empty before the first. */
  readonly day: string;
  /** What was taken on it. */
  readonly taken: Readonly<Record<DailyQuota, number>>;
}

const nothingTaken: QuotaState["taken"] = { ticket_bytes_a_day: 0, free_writes_a_day: 0 };

/**
 * The rules of what an account may use up (stream `quota-<account>`; docs/adr/0048). What is used in a day is taken in parts,
 * each a fact, so that no number of processes and no restart lets an account use more; what is counted as it stands is
 * compared by `standingRefusal`.
 */
export const quota: Decider<QuotaCommand, QuotaState, QuotaEvent> = {
  initialState: { values: {}, day: "", taken: nothingTaken },
  decide,
  evolve,
};

/** So many parts make a whole day's quota: few facts, and little is lost with a process that ends. */
const partsOfDay = 20;

/** What an account may use. */
export function quotaValue({ values }: Pick<QuotaState, "values">, name: QuotaName): number {
  return values[name] ?? quotaCatalogue[name].standard;
}

/** What is taken of a daily quota on the day of an instant. */
export function takenOn({ day, taken }: QuotaState, name: DailyQuota, at: string): number {
  return day === dayOf(at) ? taken[name] : 0;
}

/** Why no more of a standing quota is given; undefined where it is. @param used before what is asked for. */
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
  // Of two processes about midnight one may be a day behind: it takes from the day that has begun.
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
