import { assertNever } from "../kernel/assert-never.ts";
import { accept, type Command, type Decider, type Decision } from "../kernel/decider.ts";
import type { Cents } from "../money/money.ts";
import type { NoticeKind } from "../kernel/notice-kinds.ts";
import type { NoticeChoiceEvent } from "./notice-choice.events.ts";

/** Sets the balance below which the account gets a notice. */
export type SetLowBalanceThreshold = Command<
  "SetLowBalanceThreshold",
  {
    readonly accountId: number;
    /** Cents (EUR); null for no notice. */
    readonly threshold: Cents | null;
  }
>;

/** Chooses the kinds of notices that the account gets by e-mail. */
export type ChooseMailKinds = Command<
  "ChooseMailKinds",
  {
    readonly accountId: number;
    /** Null for all kinds; an empty list for none. */
    readonly kinds: readonly NoticeKind[] | null;
  }
>;

export type RecordMailBounce = Command<
  "RecordMailBounce",
  {
    readonly accountId: number;
    readonly noticeId: string;
    readonly email: string;
    readonly status: string;
  }
>;

/** Lets mail be sent to a bounced address again. */
export type ResumeMail = Command<"ResumeMail", { readonly accountId: number }>;

export type NoticeChoiceCommand = SetLowBalanceThreshold | ChooseMailKinds | RecordMailBounce | ResumeMail;

export interface MailBounce {
  readonly noticeId: string;
  readonly email: string;
  readonly status: string;
  readonly bouncedAt: string;
}

/** Notice choices of an account. By default it has no threshold and gets mail of every kind. */
export interface NoticeChoiceState {
  readonly lowBalanceThreshold: Cents | null;
  readonly mailKinds: readonly string[] | null;
  /** Time of the last choice; undefined before the first. */
  readonly changedAt: string | undefined;
  /** The latest bounce since the account last resumed mail; null if there is none. */
  readonly bounce: MailBounce | null;
}

/** Returns the bounce that blocks mail to an address; undefined if mail is allowed. */
export function mailStopOf({ bounce }: NoticeChoiceState, email: string): MailBounce | undefined {
  return bounce?.email.toLowerCase() === email.toLowerCase() ? bounce : undefined;
}

/** Rules of an account's notice choices (stream `noticechoice-<account>`). */
export const noticeChoices: Decider<NoticeChoiceCommand, NoticeChoiceState, NoticeChoiceEvent> = {
  initialState: { lowBalanceThreshold: null, mailKinds: null, changedAt: undefined, bounce: null },
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
    case "RecordMailBounce": {
      const { at, ...bounce } = command.data;
      if (bounce.noticeId === state.bounce?.noticeId) return accept();
      return accept({ type: "MailBounced", data: { ...bounce, bouncedAt: at } });
    }
    case "ResumeMail": {
      const { accountId, at } = command.data;
      if (state.bounce === null) return accept();
      return accept({ type: "MailResumed", data: { accountId, resumedAt: at } });
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
    case "MailBounced": {
      const { accountId: _, ...bounce } = data;
      return { ...state, bounce };
    }
    case "MailResumed":
      return { ...state, bounce: null };
    default:
      return assertNever(type);
  }
}
