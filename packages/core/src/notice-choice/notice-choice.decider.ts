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

/** Records that a mail came back for good. */
export type RecordMailBounce = Command<
  "RecordMailBounce",
  {
    readonly accountId: number;
    readonly noticeId: string;
    /** Where it had been sent. */
    readonly email: string;
    /** Enhanced status code (RFC 3463). */
    readonly status: string;
  }
>;

/** Asks for mail again. */
export type ResumeMail = Command<"ResumeMail", { readonly accountId: number }>;

/** What an account chooses, and what becomes of mail to it. */
export type NoticeChoiceCommand = SetLowBalanceThreshold | ChooseMailKinds | RecordMailBounce | ResumeMail;

/** A mail that came back for good. */
export interface MailBounce {
  readonly noticeId: string;
  readonly email: string;
  readonly status: string;
  readonly bouncedAt: string;
}

/** What an account chose. An account that never did has no threshold, and gets mail of every kind. */
export interface NoticeChoiceState {
  /** Null for no notice. */
  readonly lowBalanceThreshold: Cents | null;
  /** Null for all of them. */
  readonly mailKinds: readonly string[] | null;
  /** When it last chose; undefined where it never did. */
  readonly changedAt: string | undefined;
  /** The last mail that came back since mail was last asked for; null where none did. */
  readonly bounce: MailBounce | null;
}

/** Why an address is not written to; undefined where it is. */
export function mailStopOf({ bounce }: NoticeChoiceState, email: string): MailBounce | undefined {
  return bounce?.email.toLowerCase() === email.toLowerCase() ? bounce : undefined;
}

/** The rules of an account's choices (stream `noticechoice-<account>`). */
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
