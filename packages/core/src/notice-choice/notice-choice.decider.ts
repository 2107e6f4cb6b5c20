import { assertNever } from "../kernel/assert-never.ts";
import { accept, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";
import type { NoticeKind } from "../kernel/notice-kinds.ts";
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

/** Says of which kinds the account is notified by e-mail. */
export type ChooseMailKinds = Command<
  "ChooseMailKinds",
  {
    readonly accountId: number;
    /** Null for all of them; an empty list for none. */
    readonly kinds: readonly NoticeKind[] | null;
  }
>;

/** What an account chooses. */
export type NoticeChoiceCommand = SetLowBalanceThreshold | ChooseMailKinds;

/** What an account chose. An account that never did has no threshold, and gets mail of every kind. */
export interface NoticeChoiceState {
  /** Null for no notice. */
  readonly lowBalanceThreshold: Cents | null;
  /** Null for all of them. */
  readonly mailKinds: readonly string[] | null;
  /** When it last chose; undefined where it never did. */
  readonly changedAt: string | undefined;
}

/** The rules of an account's choices (stream `noticechoice-<account>`). */
export const noticeChoices: Decider<NoticeChoiceCommand, NoticeChoiceState, NoticeChoiceEvent> = {
  initialState: { lowBalanceThreshold: null, mailKinds: null, changedAt: undefined },
  decide,
  evolve,
};

function decide(command: NoticeChoiceCommand, state: NoticeChoiceState): Decision<NoticeChoiceEvent> {
  switch (command.type) {
    case "SetLowBalanceThreshold": {
      const { accountId, threshold, at } = command.data;
      if (threshold === state.lowBalanceThreshold) return accept();
      const thresholdCents = threshold === null ? null : String(threshold);
      return accept({ type: "LowBalanceThresholdSet", data: { accountId, thresholdCents, setAt: at } });
    }
    case "ChooseMailKinds": {
      const { accountId, kinds, at } = command.data;
      if (listOf(kinds) === listOf(state.mailKinds)) return accept();
      return accept({
        type: "MailKindsChosen",
        data: { accountId, kinds: kinds && [...kinds], chosenAt: at },
      });
    }
    default:
      return assertNever(command);
  }
}

function listOf(kinds: readonly string[] | null): string | null {
  return kinds === null ? null : kinds.toSorted().join();
}

function evolve(state: NoticeChoiceState, { type, data }: NoticeChoiceEvent): NoticeChoiceState {
  switch (type) {
    case "LowBalanceThresholdSet": {
      const { thresholdCents, setAt } = data;
      const lowBalanceThreshold = thresholdCents === null ? null : BigInt(thresholdCents);
      return { ...state, lowBalanceThreshold, changedAt: setAt };
    }
    case "MailKindsChosen":
      return { ...state, mailKinds: data.kinds, changedAt: data.chosenAt };
    default:
      return assertNever(type);
  }
}
