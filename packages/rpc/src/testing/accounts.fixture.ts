import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";
import { account } from "@hostledger/protocol";

import { rejectionError } from "../errors/rejection-error.ts";
import { requireService, type WithContextValues } from "../interceptors/call-context.ts";
import { implement, type ServiceImplementation } from "../transport/implement.ts";

type Handlers = ServiceImpl<typeof account.AccountService>;

/** A charge as the account service keeps it. */
export interface Charge {
  readonly accountId: bigint;
  readonly grossCents: bigint;
  readonly invoiceId: bigint;
  readonly request: Pick<
    account.ChargeBalanceRequest,
    "action" | "duration" | "serverId" | "planId" | "pricesIncludeVat"
  >;
  correctionId: bigint | undefined;
}

/**
 * An account service in memory for specs of the services that charge: balances, charges and refunds that are safe to
 * repeat, without VAT and without rules of its own. A spec may break a method to see what becomes of it.
 */
export class AccountsFixture {
  readonly balances = new Map<bigint, bigint>();
  /** What accounts had a moment ago, for whoever is content with that, where it was something else. */
  readonly seemed = new Map<bigint, bigint>();
  readonly charges = new Map<string, Charge>();
  /** Whose personal data was erased: nothing is charged to them. */
  readonly erased = new Set<bigint>();
  /** Run before or after a method's work: an error that they throw is what the caller hears. A promise is waited for. */
  beforeCharge: () => unknown = () => undefined;
  afterCharge: () => void = () => undefined;
  beforeRefund: () => void = () => undefined;
  /** Who its customers are; what it throws is what the caller hears. */
  profileOf: (accountId: bigint) => MessageInitShape<typeof account.GetProfileResponseSchema> = () => ({
    missing: ["kind", "name"],
    readable: true,
  });
  readonly #vatExempt: boolean;
  readonly #refundsRegistrations: boolean;
  #documents = 100n;

  /** @param service whose specs these are: only the domain service takes registrations back, and prices them net. */
  constructor(service: "domain" | "server") {
    this.#vatExempt = service === "domain";
    this.#refundsRegistrations = service === "domain";
  }

  /** Gives the account a balance; one that has none does not exist. */
  open(accountId: number, balanceCents: bigint): void {
    this.balances.set(BigInt(accountId), balanceCents);
  }

  balanceOf(accountId: number): bigint | undefined {
    return this.balances.get(BigInt(accountId));
  }

  /** Charges that were not returned. */
  get standing(): readonly Charge[] {
    return [...this.charges.values()].filter(({ correctionId }) => correctionId === undefined);
  }

  implementation(): ServiceImplementation {
    const unused = (): never => {
      throw new Error("the service makes no such call");
    };
    return implement(account.AccountService, {
      resolveApiKey: unused,
      createApiKey: unused,
      listApiKeys: unused,
      deleteApiKey: unused,
      listInvoices: unused,
      getInvoice: unused,
      changeProfile: unused,
      getProfileRevision: () => unused(),
      getProfile: (request, context) => {
        requireService(context);
        this.#balance(request.accountId);
        return this.profileOf(request.accountId);
      },
      getAccount: ({ accountId, maxAgeMs }, context) => {
        requireService(context);
        const seemed = maxAgeMs > 0 ? this.seemed.get(accountId) : undefined;
        const balanceCents = seemed ?? this.#balance(accountId);
        const known = { accountId, name: "Ada", vatExempt: this.#vatExempt, balanceCents, openedAt: "" };
        return this.erased.has(accountId) ? { ...known, erasedAt: "2026-03-01T10:00:00.000000Z" } : known;
      },
      chargeBalance: async (request, context) => {
        requireService(context);
        await this.beforeCharge();
        const isNew = !this.charges.has(request.chargeId);
        const { invoiceId, grossCents } = this.#charge(request);
        this.afterCharge();
        const answer = { invoiceId, invoiceNumber: String(invoiceId), netCents: grossCents, grossCents };
        return request.asksWhetherNew ? { ...answer, isNew } : answer;
      },
      refundRegistration: ({ chargeId }, context) =>
        this.#refundsRegistrations ? this.#refundFor(chargeId, context) : unused(),
      refundCharge: ({ chargeId }, context) => this.#refundFor(chargeId, context),
    } satisfies Handlers);
  }

  #balance(accountId: bigint): bigint {
    const balance = this.balances.get(accountId);
    if (balance === undefined) throw rejectionError(rejection("not-found"));
    return balance;
  }

  #charge(request: account.ChargeBalanceRequest): Charge {
    const { accountId, chargeId, lines } = request;
    const known = this.charges.get(chargeId);
    if (known !== undefined) return known;
    if (this.erased.has(accountId)) throw rejectionError(rejection("account-not-open"));
    const grossCents = lines.reduce((sum, line) => sum + BigInt(line.quantity) * line.unitNetCents, 0n);
    const availableCents = this.#balance(accountId);
    if (grossCents > availableCents)
      throw rejectionError(
        rejection("insufficient-balance", undefined, { requiredCents: grossCents, availableCents }),
      );
    this.balances.set(accountId, availableCents - grossCents);
    const invoiceId = (this.#documents += 1n);
    const charge = { accountId, grossCents, invoiceId, request, correctionId: undefined };
    this.charges.set(chargeId, charge);
    return charge;
  }

  #refundFor(chargeId: string, context: WithContextValues): { correctionId: bigint; grossCents: bigint } {
    requireService(context);
    this.beforeRefund();
    return this.#refund(chargeId);
  }

  #refund(chargeId: string): { correctionId: bigint; grossCents: bigint } {
    const charge = this.charges.get(chargeId);
    if (charge === undefined) throw rejectionError(rejection("charge-not-found"));
    if (charge.correctionId === undefined) {
      charge.correctionId = this.#documents += 1n;
      this.balances.set(charge.accountId, this.#balance(charge.accountId) + charge.grossCents);
    }
    return { correctionId: charge.correctionId, grossCents: charge.grossCents };
  }
}
