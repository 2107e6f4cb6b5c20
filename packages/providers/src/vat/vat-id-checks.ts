import { addMilliseconds, faultOfVatId, isVatIdOfUnion } from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";
import { createLru, Pace } from "@hostledger/runtime/async";

import type { VatIdQuestion, VatIdRegister } from "./vat-ids.port.ts";

/** A question about an account's VAT id. */
export interface AccountVatId extends VatIdQuestion {
  readonly accountId: number;
  readonly vatId: string;
}

/** Result of a question. */
export type CheckedVatId =
  /** The register, or the check digit, decided at this time. */
  | {
      readonly outcome: "valid" | "invalid";
      readonly consultationNumber: string;
      readonly answeredAt: string;
    }
  /** The register gave no answer; `because` is a sentence for staff. */
  | { readonly outcome: "unanswered"; readonly because: string }
  /** The account or this process has asked too often; the register was not asked. */
  | { readonly outcome: "postponed" };

/** Limits on questions to the register. */
export const vatIdLimits = {
  /** Questions about one account in a day; the remainder waits. */
  perAccountAndDay: 10,
  /** Questions of this process in a minute. VIES answers few at a time to one address. */
  perMinute: 30,
  /** Days for which "valid" is reused for further questions about the VAT id, by any account. */
  cacheDays: 3,
  /** Minutes for which "not valid" does: a company may have been registered since. */
  invalidCacheMinutes: 60,
  /** Remembered answers. */
  cached: 10_000,
} as const;

interface Remembered {
  readonly isValid: boolean;
  readonly consultationNumber: string;
  readonly answeredAt: string;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/**
 * Asks about VAT ids within limits: the check digit first, then remembered answers, then the register. Thousands of
 * VAT ids of one customer therefore cost ten questions a day. The limits and the remembered answers belong to this
 * process.
 */
export class VatIdChecks {
  readonly #register: VatIdRegister;
  readonly #clock: Clock;
  readonly #remembered = createLru<string, Remembered>(vatIdLimits.cached);
  readonly #accounts: Pace;
  readonly #process: Pace;

  constructor(register: VatIdRegister, clock: Clock) {
    const { perAccountAndDay, perMinute } = vatIdLimits;
    this.#register = register;
    this.#clock = clock;
    this.#accounts = pace(dayMs, perAccountAndDay, clock);
    this.#process = pace(minuteMs, perMinute, clock);
  }

  /** Checks a VAT id. Always resolves, within the limits of the register. */
  async check({ accountId, vatId, name, askedBy }: AccountVatId): Promise<CheckedVatId> {
    const invalid = { outcome: "invalid", consultationNumber: "", answeredAt: this.#clock.now() } as const;
    if (faultOfVatId(vatId) !== undefined || !isVatIdOfUnion(vatId)) return invalid;
    const known = this.#recall(vatId, askedBy);
    if (known !== undefined) return known;
    const isTurn =
      this.#accounts.turn(String(accountId)) !== undefined && this.#process.turn("") !== undefined;
    if (!isTurn) return { outcome: "postponed" };
    const answer = await this.#register.check(vatId, { name, askedBy });
    if (answer.outcome !== "done") return { outcome: "unanswered", because: answer.message };
    const remembered = { ...answer.value, answeredAt: this.#clock.now() };
    this.#remembered.set(keyOf(vatId, askedBy), remembered);
    return resultOf(remembered);
  }

  #recall(vatId: string, askedBy: string): CheckedVatId | undefined {
    const known = this.#remembered.get(keyOf(vatId, askedBy));
    if (known === undefined) return undefined;
    const { cacheDays, invalidCacheMinutes } = vatIdLimits;
    const lastsMs = known.isValid ? cacheDays * dayMs : invalidCacheMinutes * minuteMs;
    return this.#clock.now() < addMilliseconds(known.answeredAt, lastsMs) ? resultOf(known) : undefined;
  }
}

/** A consultation number belongs to the seller that asked. */
function keyOf(vatId: string, askedBy: string): string {
  return `${vatId} ${askedBy}`;
}

function resultOf({ isValid, consultationNumber, answeredAt }: Remembered): CheckedVatId {
  return { outcome: isValid ? "valid" : "invalid", consultationNumber, answeredAt };
}

function pace(periodMs: number, times: number, clock: Clock): Pace {
  return new Pace({ apartMs: periodMs / times, atOnce: times, longestWaitMs: 0 }, clock);
}
