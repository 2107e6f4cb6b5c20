import { accept, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";
import type { NoticeChoiceEvent } from "./notice-choice.events.ts";

/** Says below which balance the account is notified. */
export type SetLowBalanceThreshold = Command<
  "SetLowBalanceThreshold",
  {
    readonly accountId: number;
    /** Null for no notice. */
    readonly threshold: Cents | null;
  }
>;

/** What an account chose. An account that never did has no threshold. */
export interface NoticeChoiceState {
  /** Null for no notice. */
  readonly lowBalanceThreshold: Cents | null;
  /** When it last chose; undefined where it never did. */
  readonly changedAt: string | undefined;
}

/** The rules of an account's choices (stream `noticechoice-<account>`). */
export const noticeChoices: Decider<SetLowBalanceThreshold, NoticeChoiceState, NoticeChoiceEvent> = {
  initialState: { lowBalanceThreshold: null, changedAt: undefined },
  decide,
  evolve,
};

function decide(
  { data: { accountId, threshold, at } }: SetLowBalanceThreshold,
  { lowBalanceThreshold }: NoticeChoiceState,
): Decision<NoticeChoiceEvent> {
  if (threshold === lowBalanceThreshold) return accept();
  const thresholdCents = threshold === null ? null : String(threshold);
  return accept({ type: "LowBalanceThresholdSet", data: { accountId, thresholdCents, setAt: at } });
}

function evolve(_state: NoticeChoiceState, { data }: NoticeChoiceEvent): NoticeChoiceState {
  const { thresholdCents, setAt } = data;
  return { lowBalanceThreshold: thresholdCents === null ? null : BigInt(thresholdCents), changedAt: setAt };
}
