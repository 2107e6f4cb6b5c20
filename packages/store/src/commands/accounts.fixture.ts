import {
  emptyProfile,
  rejection,
  type AccountProfile,
  type ChargeOrder,
  type Rejection,
} from "@hostledger/core";

import type { AccountAnswer, Accounts, RefundResult, PayingAccount } from "./accounts.ts";

export interface Charge {
  readonly accountId: number;
  readonly grossCents: bigint;
  readonly invoiceId: number;
  readonly request: ChargeOrder;
  correctionId: number | undefined;
}

/** Runs before or after an order. A returned rejection refuses the order; a thrown error fails it. */
type Hook = () => unknown;

const allow: Hook = () => undefined;

/**
 * In-memory accounts for specs of the services that charge. Charges and refunds are safe to repeat; there is no VAT and
 * no rule of the decider. A spec may replace a method to simulate a failure.
 */
export class AccountsFixture implements Accounts {
  readonly balances = new Map<number, bigint>();
  /** Older balances, for callers that accept a slightly older state. */
  readonly seemed = new Map<number, bigint>();
  readonly charges = new Map<string, Charge>();
  /** Accounts whose personal data was erased, so nothing is charged to them. */
  readonly erased = new Set<number>();
  beforeCharge = allow;
  afterCharge = allow;
  beforeRefund = allow;
  /** Returns the profile of an account. A thrown error reaches the caller. */
  profileOf: (accountId: number) => AccountProfile = () => emptyProfile;
  readonly #isOfDomains: boolean;
  #documents = 100;

  /** @param service the service under test: only the domain service refunds registrations and uses net prices. */
  constructor(service: "domain" | "server") {
    this.#isOfDomains = service === "domain";
  }

  /** Gives the account a balance. An account without a balance does not exist. */
  open(accountId: number, balanceCents: bigint): void {
    this.balances.set(accountId, balanceCents);
  }

  balanceOf(accountId: number): bigint | undefined {
    return this.balances.get(accountId);
  }

  get standing(): readonly Charge[] {
    return [...this.charges.values()].filter(({ correctionId }) => correctionId === undefined);
  }

  readonly find: Accounts["find"] = async (accountId, maxAgeMs = 0) => {
    await Promise.resolve();
    const balanceCents = this.balances.get(accountId);
    if (balanceCents === undefined) return undefined;
    const seemed = maxAgeMs > 0 ? this.seemed.get(accountId) : undefined;
    const account: PayingAccount = {
      accountId,
      balanceCents: seemed ?? balanceCents,
      vatExempt: this.#isOfDomains,
      erasedAt: this.erased.has(accountId) ? "2026-03-01T10:00:00.000000Z" : undefined,
      profile: emptyProfile,
    };
    return { account: Object.defineProperty(account, "profile", { get: () => this.profileOf(accountId) }) };
  };

  readonly quote: Accounts["quote"] = async (accountId, { lines }, maxAgeMs) => {
    const found = await this.find(accountId, maxAgeMs);
    if (found === undefined) return undefined;
    const netCents = sumOf(lines);
    const availableCents = found.account.balanceCents;
    return {
      netCents,
      vatRateBasisPoints: 0n,
      vatCents: 0n,
      grossCents: netCents,
      missing: [],
      availableCents,
    };
  };

  /** A thrown error says that the keys of documents are missing. */
  requireDocumentKey: Accounts["requireDocumentKey"] = () => Promise.resolve();

  readonly charge: Accounts["charge"] = async (order) => {
    const before = refusedBy(await this.beforeCharge());
    if (before !== undefined) return before;
    const isNew = !this.charges.has(order.chargeId);
    const made = this.#charge(order);
    if ("code" in made) return { accepted: false, rejection: made };
    return refusedBy(await this.afterCharge()) ?? { accepted: true, charge: made, isNew };
  };

  readonly refund: Accounts["refund"] = async ({ chargeId, of }) => {
    if (of === "registration" && !this.#isOfDomains) throw new Error("servers are not registered");
    return refusedBy(await this.beforeRefund()) ?? this.#refund(chargeId);
  };

  #charge(request: ChargeOrder): Charge | Rejection {
    const { accountId, chargeId, lines } = request;
    const known = this.charges.get(chargeId);
    if (known !== undefined) return known;
    const availableCents = this.balances.get(accountId);
    if (availableCents === undefined || this.erased.has(accountId)) return rejection("account-not-open");
    const grossCents = sumOf(lines);
    if (grossCents > availableCents)
      return rejection("insufficient-balance", undefined, { requiredCents: grossCents, availableCents });
    this.balances.set(accountId, availableCents - grossCents);
    const invoiceId = (this.#documents += 1);
    const charge = { accountId, grossCents, invoiceId, request, correctionId: undefined };
    this.charges.set(chargeId, charge);
    return charge;
  }

  #refund(chargeId: string): AccountAnswer<RefundResult> {
    const charge = this.charges.get(chargeId);
    if (charge === undefined) return { accepted: false, rejection: rejection("charge-not-found") };
    const { accountId, grossCents } = charge;
    if (charge.correctionId === undefined) {
      charge.correctionId = this.#documents += 1;
      this.balances.set(accountId, (this.balances.get(accountId) ?? 0n) + grossCents);
    }
    return { accepted: true, correctionId: charge.correctionId, grossCents };
  }
}

function sumOf(lines: ChargeOrder["lines"]): bigint {
  return lines.reduce((sum, line) => sum + BigInt(line.quantity) * line.unitNetCents, 0n);
}

function refusedBy(answer: unknown) {
  return isRejection(answer) ? ({ accepted: false, rejection: answer } as const) : undefined;
}

function isRejection(answer: unknown): answer is Rejection {
  return typeof answer === "object" && answer !== null && "code" in answer;
}
