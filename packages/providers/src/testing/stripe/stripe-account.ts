import type { Sent } from "./stripe-document.codec.ts";
import { listMovements } from "./stripe-balance.ts";
import {
  expandsBalance,
  fieldsIn,
  missing,
  pageOf,
  StripeMoney,
  StripeRefusal,
  textsIn,
} from "./stripe-money.ts";
import {
  chargeObject,
  disputeObject,
  payoutObject,
  refundObject,
  sessionObject,
  sessionSeconds,
  type Charge,
  type Refund,
  type Session,
} from "./stripe-objects.ts";

/** An account at Stripe. Its customers act only as tests say. */
export class StripeAccount {
  readonly #sessions: Session[] = [];
  readonly #money: StripeMoney;

  /** @param nowMs Unix time in milliseconds */
  constructor(nowMs: () => number) {
    this.#money = new StripeMoney(nowMs);
  }

  /** Carries an operation of the document out. @throws StripeRefusal */
  carryOut(operationId: string, sent: Sent, path: Readonly<Record<string, string>>): unknown {
    const { payment_method: method = "" } = path;
    switch (operationId) {
      case "PostCheckoutSessions":
        return this.#openSession(sent);
      case "GetCheckoutSessions":
        return this.#listSessions(sent);
      case "GetCharges":
        return this.#money.list("charges", sent);
      case "GetChargesCharge": {
        const charge = this.#money.charges.find(({ id }) => id === path.charge);
        if (charge === undefined) throw missing("charge");
        return chargeObject(charge, expandsBalance(sent));
      }
      case "GetBalanceTransactions":
        return listMovements(this.#money, sent);
      case "GetDisputes":
        return this.#money.list("disputes", sent);
      case "GetRefunds":
        return this.#money.list("refunds", sent);
      case "PostRefunds":
        return this.#money.refund(sent);
      case "PostPaymentIntents":
        return this.#money.chargeStored(sent);
      case "GetPaymentMethodsPaymentMethod":
        return this.#money.method(method);
      case "PostPaymentMethodsPaymentMethodDetach":
        if (this.#money.methods.has(method)) this.#money.methods.set(method, null);
        return this.#money.method(method);
      case "GetAccount":
        return { id: "acct_1", object: "account", charges_enabled: true, default_currency: "eur" };
      default:
        throw missing(`operation in the test server as ${operationId}`);
    }
  }

  /** Order of a page, by the page's address. */
  orderOfPage(url: string): string {
    const session = this.#sessions.find(({ id }) => url.endsWith(`/${id}`));
    if (session === undefined) throw new Error(`${url} is no page`);
    return session.orderId;
  }

  /** Has Stripe know the fees of new charges later. */
  hideFees(): void {
    this.#money.knowsFeesLater = true;
  }

  /** Has the customer of an order pay on the page. */
  pay(orderId: string): void {
    this.#onPage(orderId, true);
  }

  /** Has the money of an order come although its page has expired. */
  payLate(orderId: string): void {
    const session = this.#sessions.find((one) => one.orderId === orderId);
    if (session !== undefined) this.#charge(session, true);
  }

  /** Has a customer pay an order once more, for example on an older page. @returns the id of the charge */
  payAgain(orderId: string): string {
    this.payLate(orderId);
    return this.chargeOf(orderId).id;
  }

  /** Has the customer's bank decline; the page stays open for another card. */
  decline(orderId: string): void {
    this.#onPage(orderId, false);
  }

  /** Makes the pages of an order expire before their time. */
  expire(orderId: string): void {
    for (const session of this.#sessions)
      if (session.orderId === orderId && session.status === "open") session.status = "expired";
  }

  /** Has the holder of the card charge a payment back. @param amount in cents; default: the whole payment */
  chargeBack(
    orderId: string,
    { amount, status = "needs_response" }: { readonly amount?: number; readonly status?: string } = {},
  ): void {
    const charge = this.chargeOf(orderId);
    const taken = amount ?? charge.amount;
    // A bank that only asks takes nothing, and a dispute that was won gave the money back.
    const moves = status.startsWith("warning") ? [] : status === "won" ? [-taken, taken] : [-taken];
    this.#money.dispute(charge, { status, moves });
  }

  /**
   * Sends money back in Stripe's dashboard, without an order of ours. @param amount in cents
   * @param charge id of the charge; default: the latest of the order
   */
  refundByHand(orderId: string, amount: number, charge = this.chargeOf(orderId).id): void {
    this.#money.refund({ charge, amount, metadata: {} });
  }

  /** Has Stripe take the money of all refunds of an order from our balance later. */
  delayRefunds(orderId: string): void {
    const { id } = this.chargeOf(orderId);
    for (const refund of this.#money.refunds.filter(({ charge }) => charge === id)) refund.balance = null;
  }

  /** Sets the state of all refunds of an order. */
  setRefunds(orderId: string, status: Refund["status"]): void {
    const { id } = this.chargeOf(orderId);
    for (const refund of this.#money.refunds.filter(({ charge }) => charge === id)) {
      refund.status = status;
      if (status === "failed")
        this.#money.move("refund_failure", { amount: refund.amount, source: refundObject(refund, false) });
    }
  }

  /**
   * Takes a payment beside our orders, as Stripe's dashboard and other programs do.
   * @param amount in cents
   * @param transferGroup group of the charge; empty for none
   * @returns the charge
   */
  chargeElsewhere(amount: number, transferGroup = ""): Charge {
    const [paymentIntent, paymentMethod] = [this.#money.id("intent"), this.#money.id("method")];
    const made = { amount, paymentIntent, paymentMethod, customer: null, isPaid: true };
    return this.#money.charge({ ...made, metadata: {}, transferGroup });
  }

  /** Loses the page and the charges of an order. */
  forget(orderId: string): void {
    const { charges } = this.#money;
    charges.splice(0, charges.length, ...charges.filter((one) => one.transferGroup !== orderId));
    this.#sessions.splice(
      0,
      this.#sessions.length,
      ...this.#sessions.filter((one) => one.orderId !== orderId),
    );
  }

  /** Charges the customer of a paid order once more. @returns the charge */
  chargeAgain(orderId: string): Charge {
    return this.#money.charge({ ...this.chargeOf(orderId), paymentIntent: this.#money.id("intent") });
  }

  /** Pays a part of our balance out to our bank account. @param amount in cents @returns the payout's id */
  payOut(amount: number): string {
    const id = this.#money.id("payout");
    this.#money.move("payout", { amount: -amount, source: payoutObject(id, amount, this.#money.now()) });
    return id;
  }

  /** The paid charge of an order. */
  chargeOf(orderId: string): Charge {
    const charge = this.#money.charges.find((one) => one.transferGroup === orderId && one.isPaid);
    if (charge === undefined) throw new Error(`nobody paid ${orderId}`);
    return charge;
  }

  /** Returns the number of pages, paid charges and refunds of an order. */
  countsOf(orderId: string) {
    const charges = this.#money.charges.filter((one) => one.transferGroup === orderId && one.isPaid);
    return {
      sessions: this.#sessions.filter((one) => one.orderId === orderId).length,
      paid: charges.length,
      refunds: this.#money.refunds.filter((refund) => charges.some(({ id }) => id === refund.charge)).length,
    };
  }

  /** The object of an event about an order. */
  objectOf(kind: "session" | "charge" | "dispute" | "refund", orderId: string): unknown {
    if (kind === "session") {
      const session = this.#sessions.find((one) => one.orderId === orderId);
      return session && sessionObject(session);
    }
    const charge = this.chargeOf(orderId);
    if (kind === "charge") return chargeObject(charge, false);
    if (kind === "refund") {
      const refund = this.#money.refunds.find((one) => one.charge === charge.id);
      return refund && refundObject(refund, false);
    }
    const dispute = this.#money.disputes.find((one) => one.charge === charge.id);
    return dispute && disputeObject(dispute);
  }

  #openSession(sent: Sent): unknown {
    const orderId = String(sent.client_reference_id);
    const message = "The account cannot take payments.";
    if (orderId.includes("refused")) throw new StripeRefusal(400, { type: "invalid_request_error", message });
    const [line] = Array.isArray(sent.line_items) ? sent.line_items : [];
    const intent = fieldsIn(sent.payment_intent_data);
    const session: Session = {
      id: this.#money.id("session"),
      created: this.#money.now(),
      orderId,
      amount: Number(fieldsIn(fieldsIn(line).price_data).unit_amount),
      storesMethod: intent.setup_future_usage === "off_session",
      metadata: textsIn(intent.metadata),
      transferGroup: String(intent.transfer_group),
      status: "open",
      paymentIntent: null,
    };
    this.#sessions.unshift(session);
    return sessionObject(session);
  }

  #listSessions(sent: Sent): unknown {
    const from = Number(fieldsIn(sent.created).gte ?? 0);
    for (const session of this.#sessions)
      if (session.status === "open" && this.#money.now() >= session.created + sessionSeconds)
        session.status = "expired";
    const found = this.#sessions.filter(({ created }) => created >= from);
    return pageOf("/v1/checkout/sessions", found, sent, sessionObject);
  }

  #onPage(orderId: string, isPaid: boolean): void {
    const session = this.#sessions.find((one) => one.orderId === orderId && one.status === "open");
    if (session === undefined) return;
    this.#charge(session, isPaid);
    if (isPaid) session.status = "complete";
  }

  #charge(session: Session, isPaid: boolean): void {
    const { amount, metadata, transferGroup } = session;
    const paymentIntent = session.paymentIntent ?? this.#money.id("intent");
    const paymentMethod = this.#money.id("method");
    const customer = session.storesMethod && isPaid ? this.#money.id("customer") : null;
    this.#money.methods.set(paymentMethod, customer);
    this.#money.charge({
      amount,
      metadata,
      transferGroup,
      paymentIntent,
      paymentMethod,
      customer,
      isPaid,
    });
    session.paymentIntent = paymentIntent;
  }
}
