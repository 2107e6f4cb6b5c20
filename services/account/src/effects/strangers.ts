import { unknownPayment, unknownPayments, type Difference, type PaymentMovement } from "@hostledger/core";

/** Payments that are differences of their own at most; more are one difference, because another shop uses the account. */
const mostStrangers = 20;

/** Payments at a provider without an order, which no account has. */
export class Strangers {
  readonly #first: PaymentMovement[] = [];
  #count = 0;

  add(movement: PaymentMovement): void {
    this.#count += 1;
    if (this.#first.length < mostStrangers) this.#first.push(movement);
  }

  differences(provider: string): readonly Difference[] {
    const [example] = this.#first;
    return example !== undefined && this.#count > mostStrangers
      ? [unknownPayments(provider, { count: this.#count, example })]
      : this.#first.map((one) => unknownPayment(nameOfReference(one.providerReference), one));
  }
}

/** Converts a provider's reference to a part of a ticket's cause. */
function nameOfReference(reference: string): string {
  return reference.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, 120);
}
