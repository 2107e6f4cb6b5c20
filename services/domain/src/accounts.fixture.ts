import type { ServiceImpl } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";
import { account } from "@hostledger/protocol";
import { implement, rejectionError, requireService, type ServiceImplementation } from "@hostledger/rpc";

type Handlers = ServiceImpl<typeof account.AccountService>;

interface Charge {
  readonly accountId: bigint;
  readonly grossCents: bigint;
  readonly invoiceId: bigint;
  correctionId: bigint | undefined;
}

/**
 * An account service in memory for specs of the domain service: balances, charges and refunds that are safe to repeat,
 * without VAT and without rules of its own. A spec may break a method to see what becomes of it.
 */
export class AccountsFixture {
  readonly balances = new Map<bigint, bigint>();
  readonly charges = new Map<string, Charge>();
  /** Run before or after a method's work: an error that they throw is what the caller hears. */
  beforeCharge: () => void = () => undefined;
  afterCharge: () => void = () => undefined;
  beforeRefund: () => void = () => undefined;
  #documents = 100n;

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
      throw new Error("the domain service makes no such call");
    };
    return implement(account.AccountService, {
      resolveApiKey: unused,
      listInvoices: unused,
      getInvoice: unused,
      getAccount: ({ accountId }, context) => {
        requireService(context);
        return {
          accountId,
          name: "Ada",
          vatExempt: true,
          balanceCents: this.#balance(accountId),
          openedAt: "",
        };
      },
      chargeBalance: (request, context) => {
        requireService(context);
        this.beforeCharge();
        const charge = this.#charge(request);
        this.afterCharge();
        const { invoiceId, grossCents } = charge;
        return { invoiceId, invoiceNumber: String(invoiceId), netCents: grossCents, grossCents };
      },
      refundRegistration: (request, context) => {
        requireService(context);
        this.beforeRefund();
        return this.#refund(request.chargeId);
      },
      refundCharge: (request, context) => {
        requireService(context);
        this.beforeRefund();
        return this.#refund(request.chargeId);
      },
    } satisfies Handlers);
  }

  #balance(accountId: bigint): bigint {
    const balance = this.balances.get(accountId);
    if (balance === undefined) throw rejectionError(rejection("not-found"));
    return balance;
  }

  #charge({ accountId, chargeId, lines }: account.ChargeBalanceRequest): Charge {
    const known = this.charges.get(chargeId);
    if (known !== undefined) return known;
    const grossCents = lines.reduce((sum, line) => sum + BigInt(line.quantity) * line.unitNetCents, 0n);
    const availableCents = this.#balance(accountId);
    if (grossCents > availableCents)
      throw rejectionError(
        rejection("insufficient-balance", undefined, { requiredCents: grossCents, availableCents }),
      );
    this.balances.set(accountId, availableCents - grossCents);
    const charge = { accountId, grossCents, invoiceId: (this.#documents += 1n), correctionId: undefined };
    this.charges.set(chargeId, charge);
    return charge;
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
