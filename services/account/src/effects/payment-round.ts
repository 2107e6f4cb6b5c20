import {
  addMilliseconds,
  amountDifference,
  identityOfDifference,
  missingPayment,
  unknownPayment,
  type Comparison,
  type Difference,
  type PaymentMovement,
  type RequestedPaymentState,
} from "@hostledger/core";
import type { PaymentProvider, ProviderMovement } from "@hostledger/providers";
import { unlessUnreadable, type Installation } from "@hostledger/store";
import type { DriftRound, EffectEnd, WorkEngine } from "@hostledger/work";

import { paymentKind } from "../reads/account.tables.ts";
import { askAgain } from "./ask-again.ts";
import {
  isForeignOrder,
  isOrderId,
  isSameSettlement,
  loadPayment,
  lookAtPayment,
  paymentMovement,
  wordsOfStanding,
} from "./compared-payment.ts";
import { unanswered } from "./payment-standing.ts";
import { keyOfOrder, orderIdOfPayment, type PaymentWorkOptions } from "./payment-work.ts";
import { Strangers } from "./strangers.ts";

export interface PaymentRoundOptions extends Pick<
  PaymentWorkOptions,
  "accounts" | "clock" | "methodIds" | "queries" | "refusesWrites"
> {
  /** The provider whose list is compared. */
  readonly provider: PaymentProvider;
  readonly installation: Pick<Installation, "current">;
  readonly engine: () => Pick<WorkEngine, "attend">;
}

/** A comparison that came to nothing. */
export type ComparisonFailure = Extract<EffectEnd, { readonly outcome: "failed" }>;

/** A span of time, ISO 8601 UTC. The end does not belong to it. */
interface Span {
  readonly from: string;
  readonly to: string;
}

type Movement = ProviderMovement & PaymentMovement;

/** Pages that a comparison reads at most: 200,000 movements. */
const mostPages = 2_000;

/** Payments with differences, and questions about payments that are not listed, in one comparison at most. */
const mostQuestions = 1_000;

/** Payments read from the read model at a time. */
const pageSize = 500;

/** Age from which a difference is one, in milliseconds: what is newer may be on its way. */
const settledMs = 3_600_000;

/** The same where the provider lists a payment and does not answer about the payment, in milliseconds. */
const unansweredMs = 43_200_000;

/** Time that a comparison waits for other work on a payment, in milliseconds. */
const attendMs = 10_000;

/** One comparison of a provider's list with the payments of the books. */
export class PaymentRound {
  readonly #options: PaymentRoundOptions;
  readonly #round: DriftRound;
  readonly #span: Span;
  #movements = 0;
  #foreign = 0;
  #questions = 0;
  /** Order ids of settlements that the provider lists. */
  readonly #settled = new Set<string>();
  /** Order ids that were compared, and agree. */
  readonly #agreeing = new Set<string>();
  /** Movements of payments that may not agree, by order id. */
  readonly #open = new Map<string, Movement[]>();
  readonly #strangers = new Strangers();
  /** Identities of the differences, and what the differences are about. */
  readonly #found = new Set<string>();
  readonly #sentences = new Set<string>();

  constructor(options: PaymentRoundOptions, round: DriftRound, span: Span) {
    this.#options = options;
    this.#round = round;
    this.#span = span;
  }

  /** Compares. @returns a failure if the provider does not list its movements */
  async compare(): Promise<ComparisonFailure | undefined> {
    const failure = await this.#readMovements();
    if (failure !== undefined) return failure;
    for (const [orderId, movements] of this.#open) {
      if (this.#isOver()) return undefined;
      await this.#reading(orderId, () => this.#settle(orderId, movements));
    }
    await this.#lookForMissing();
    this.#report(this.#strangers.differences(this.#options.provider.name));
    return undefined;
  }

  /** What the provider listed, for the event. */
  listed(): Comparison["listed"][number] {
    const { provider } = this.#options;
    return {
      provider: provider.name,
      from: this.#span.from,
      movements: this.#movements,
      foreign: this.#foreign,
    };
  }

  /** Returns true if books and provider agree about a payment now; false or undefined if nobody can say so. */
  async agreesAbout(resource: string): Promise<boolean | undefined> {
    if (this.#agreeing.has(resource)) return true;
    const { provider } = this.#options;
    const payment = this.#found.has(resource) ? undefined : await loadPayment(this.#options, resource);
    if (payment?.requested.provider !== provider.name || !("settled" in payment)) return undefined;
    const answer = await provider.inquire(resource);
    if (answer.outcome !== "done" || answer.value.state !== payment.status) return undefined;
    if (!isSameSettlement(answer.value.settlement, payment)) return false;
    return (await this.#look(resource, [], payment)).length === 0;
  }

  async #readMovements(): Promise<ComparisonFailure | undefined> {
    let after = "";
    for (let pages = 0; pages < mostPages; pages += 1) {
      if (this.#isOver()) return undefined;
      const page = await this.#options.provider.listMovements({ ...this.#span, after });
      if (page.outcome !== "done") return unanswered(page);
      for (const listed of page.value.movements) {
        if (this.#isOver()) return undefined;
        this.#movements += 1;
        const movement = paymentMovement(listed);
        if (movement !== undefined) await this.#reading(listed.orderId, () => this.#take(movement));
      }
      after = page.value.next;
      if (after === "") return undefined;
    }
    this.#addUnanswered(`${this.#name()} lists more than ${String(this.#movements)} movements.`);
    return undefined;
  }

  /** Sorts a movement: into those that agree with the books, and those that may not. */
  async #take(movement: Movement): Promise<void> {
    const { kind, orderId } = movement;
    const payment = await loadPayment(this.#options, orderId);
    if (payment === undefined) {
      await this.#takeUnknown(movement);
      return;
    }
    if (kind === "settlement") this.#settled.add(orderId);
    const open = this.#open.get(orderId);
    if (open !== undefined) open.push(movement);
    else if (kind === "settlement" && (await this.#look(orderId, [movement], payment)).length === 0)
      this.#agreeing.add(orderId);
    else if (this.#open.size < mostQuestions) this.#open.set(orderId, [movement]);
    else this.#addUnanswered(`${this.#name()} lists more payments that differ than are compared at once.`);
  }

  /** A movement about a payment that was never requested here. */
  async #takeUnknown(movement: Movement): Promise<void> {
    const { kind, orderId, at } = movement;
    if (await isForeignOrder(this.#options, orderId)) {
      this.#foreign += 1;
      return;
    }
    if (at >= this.#before(settledMs)) return;
    if (isOrderId(orderId)) this.#report([unknownPayment(orderId, movement)]);
    // Of a payment without an order, its settlement is the difference.
    else if (kind === "settlement") this.#strangers.add(movement);
  }

  /** Compares a payment that may not agree. Asks about the payment first, which settles it if the provider says so. */
  async #settle(orderId: string, movements: readonly Movement[]): Promise<void> {
    const before = await loadPayment(this.#options, orderId);
    if (before === undefined) return;
    let differences = await this.#look(orderId, movements, before);
    let isAnswered = true;
    if (differences.length > 0) {
      isAnswered = await this.#ask(orderId);
      const payment = (await loadPayment(this.#options, orderId)) ?? before;
      differences = await this.#look(orderId, movements, payment);
    }
    if (differences.length === 0) {
      this.#agreeing.add(orderId);
      return;
    }
    this.#agreeing.delete(orderId);
    const latest = movements.reduce((last, { at }) => (at > last ? at : last), "");
    if (latest < this.#before(isAnswered ? settledMs : unansweredMs)) this.#report(differences);
    else if (!isAnswered) this.#addUnanswered(`${this.#name()} did not answer about ${orderId}.`);
  }

  /** Has the work on payments ask about a payment, and credit what came. @returns false without an answer */
  async #ask(orderId: string): Promise<boolean> {
    const { engine } = this.#options;
    const key = keyOfOrder(orderId);
    const asked = await askAgain(this.#options, key);
    const attended = await engine().attend({ kind: paymentKind, key }, { limitMs: attendMs });
    const isSilent = attended.end === "failed" && attended.code === "payment-unavailable";
    return asked.outcome === "done" && attended.end !== "due" && !isSilent;
  }

  /** Looks for payments that are settled in the books alone. The provider is asked about each that it does not list. */
  async #lookForMissing(): Promise<void> {
    const before = this.#before(settledMs);
    let { from } = this.#span;
    for (let afterId = 0; ;) {
      const page = await this.#options.queries.settledPayments({ from, afterId, before, limit: pageSize });
      for (const { stream_key: key } of page) {
        const orderId = orderIdOfPayment(key);
        if (this.#isOver()) return;
        if (!this.#settled.has(orderId)) await this.#reading(orderId, () => this.#lookAtUnlisted(orderId));
      }
      const { id = 0, settled_at: settledAt = null } = page.at(-1) ?? {};
      if (settledAt === null || page.length < pageSize) return;
      [afterId, from] = [id, settledAt];
    }
  }

  async #lookAtUnlisted(orderId: string): Promise<void> {
    const { provider } = this.#options;
    const payment = await loadPayment(this.#options, orderId);
    if (payment?.requested.provider !== provider.name || !("settled" in payment)) return;
    this.#questions += 1;
    if (this.#questions > mostQuestions) {
      this.#addUnanswered(`${this.#name()} was not asked about all settled payments that it does not list.`);
      return;
    }
    const answer = await provider.inquire(orderId);
    if (answer.outcome !== "done") {
      this.#addUnanswered(`${this.#name()} did not answer about ${orderId}.`);
      return;
    }
    const standing = answer.value;
    if (!("settlement" in standing))
      this.#report([missingPayment(orderId, payment, wordsOfStanding(standing))]);
    else if (!isSameSettlement(standing.settlement, payment))
      this.#report([amountDifference(orderId, payment.settled, { ...standing.settlement, currency: "EUR" })]);
  }

  #look(
    orderId: string,
    movements: readonly PaymentMovement[],
    payment: RequestedPaymentState,
  ): Promise<readonly Difference[]> {
    const creditedBefore = this.#before(settledMs);
    return lookAtPayment(this.#options, orderId, { payment, movements, creditedBefore });
  }

  #report(differences: readonly Difference[]): void {
    for (const found of differences) {
      const identity = identityOfDifference(found);
      if (this.#found.has(identity)) continue;
      this.#found.add(identity).add(found.resource);
      this.#round.add([found]);
    }
  }

  #addUnanswered(sentence: string): void {
    if (this.#sentences.has(sentence)) return;
    this.#sentences.add(sentence);
    this.#round.addUnanswered(sentence);
  }

  /** Works on a payment; one whose events cannot be read is named in the report. */
  #reading(orderId: string, work: () => Promise<void>): Promise<void> {
    return unlessUnreadable(work, ({ message }) => {
      this.#addUnanswered(`${orderId} was not compared, because an event cannot be read: ${message}.`);
    });
  }

  #isOver(): boolean {
    return this.#round.isCutOff || this.#options.refusesWrites();
  }

  /** Returns the instant so many milliseconds before the end of the span. */
  #before(milliseconds: number): string {
    return addMilliseconds(this.#span.to, -milliseconds);
  }

  #name(): string {
    return `The payment provider ${this.#options.provider.name}`;
  }
}
