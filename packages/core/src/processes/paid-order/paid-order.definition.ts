import type { DomainNameEvent } from "../../domain/domain.events.ts";
import type { DomainEvent } from "../../kernel/decider.ts";
import type { RejectionCode } from "../../kernel/rejection-catalogue.ts";
import type { ServerEvent } from "../../server/server.events.ts";
import type { RetrySchedule } from "../retry-schedule.ts";
import type { StoredEvents } from "./paid-order.events.ts";
import type { ChargeOrder, OrderCommand, ProviderRequest, RefundOrder } from "./paid-order.inputs.ts";
import type { Charge, OrderFailure, ReleaseWhy } from "./paid-order.state.ts";

/** A step before the charge: a command, and the type of the event that records its completion. */
export interface Preparation<Held> {
  readonly event: string;
  readonly command: OrderCommand<Held>;
  /** The refusal that ends the order without a charge. Any other refusal waits for staff. */
  readonly declinedBy?: RejectionCode;
}

/** The state of an order, derived from a provider's answer that does not state it directly. */
export type Progress =
  | { readonly kind: "held" }
  | { readonly kind: "not-held" }
  /** Neither the old nor the ordered state, so staff must decide. */
  | { readonly kind: "odd"; readonly words: string };

export interface ProviderOrder<Subject, Held> {
  readonly order: (subject: Subject) => ProviderRequest;
  /**
   * @param isAbandoned staff end the order, so a pending order is withdrawn before the provider answers.
   * @param isTaken the provider has accepted the order.
   */
  readonly inquire: (subject: Subject, isAbandoned: boolean, isTaken: boolean) => ProviderRequest;
  /** Absent if the provider cannot cancel a completed order. The account then stays charged during inquiries. */
  readonly cancel?: (subject: Subject) => ProviderRequest;
  /** Derives the progress from the provider's answer. Default: the order is complete. */
  readonly progress?: (subject: Subject, held: Held) => Progress;
  /** True if a refusal may mean that the order was already carried out, so the run asks the provider. */
  readonly asksAfterRefusal?: boolean;
  /** Sentences for the refund and for staff. */
  readonly words: {
    readonly notCarriedOut: string;
    readonly silent: string;
    readonly notCancelled?: string;
  };
  readonly inquiries: RetrySchedule;
  /** Schedule of the inquiries after the brief ones; then the run waits for staff. */
  readonly settlement: RetrySchedule;
  /**
   * Schedule of the inquiries about a pending order; then the run waits for staff. Absent if the provider never answers
   * "pending". The answer to such an inquiry is the answer to the order, also a refusal.
   */
  readonly pending?: RetrySchedule;
}

/** The reason why an order is undone, and the step after the refund. */
export interface Undone {
  readonly failure: OrderFailure;
  readonly then: ReleaseWhy | "settle";
}

/** The aggregate's final check whether an order was confirmed, before its charge is returned. */
export interface Fence<Subject, Held> {
  readonly isNeeded: (undone: Undone) => boolean;
  readonly command: (subject: Subject, undone: Undone, at: string) => OrderCommand<Held>;
  /** The refusal that proves that the order was confirmed, so the order stays. */
  readonly confirmedBy?: RejectionCode;
  /** The refusal that proves that the aggregate has no such order. */
  readonly unknownBy?: RejectionCode;
}

/**
 * A process that charges, orders and confirms, or undoes (flow in paid-order.ts). Parts that a process does not need are
 * absent. Functions are pure; `at` is the present instant.
 */
export interface PaidOrderDefinition<Subject, Held, Event extends DomainEvent> {
  readonly name: string;
  readonly category: string;
  /**
   * The event that begins a run, in the stream of the run's subject. Absent if only the run's own stream shows the run;
   * its events are then stored before its first command.
   */
  readonly begins?: {
    /** @param about subject of the run, as in the rows. */
    readonly stream: (about: string) => string;
    readonly by: (event: DomainNameEvent | ServerEvent) => Subject | undefined;
  };
  readonly prepare?: (subject: Subject, at: string) => readonly Preparation<Held>[];
  /** Undefined for a gift. */
  readonly charge: (subject: Subject) => ChargeOrder | undefined;
  readonly refundOf: RefundOrder["of"];
  readonly provider?: ProviderOrder<Subject, Held>;
  readonly fence?: Fence<Subject, Held>;
  /** `held` is undefined if the process has no provider. */
  readonly confirm: (
    subject: Subject,
    charge: Charge | null,
    held: Held | undefined,
    at: string,
  ) => OrderCommand<Held>;
  /** Refusals that prove that nothing was confirmed, so the charge is returned. Any other refusal waits for staff. */
  readonly confirmationRefusedBy?: readonly RejectionCode[];
  readonly release: (
    subject: Subject,
    failure: OrderFailure,
    why: ReleaseWhy,
    at: string,
  ) => OrderCommand<Held>;
  /** Refusals that prove that nothing needs to be released. */
  readonly nothingToReleaseBy?: readonly RejectionCode[];
  /** Account and charge id, also for a gift without a charge. */
  readonly payer: (subject: Subject) => { readonly accountId: number; readonly chargeId: string };
  readonly events: StoredEvents<Subject, Held, Event>;
}

/**
 * True if a run may send its order before it stores an event. An account makes each charge once, so the first owner knows
 * that no order was sent before. A later owner gets "charged before" and must assume that the order was sent. A late
 * result can be cancelled, so the refund does not have to wait for an answer.
 */
export function ordersUnrecorded<Subject, Held, Event extends DomainEvent>({
  begins,
  provider,
}: PaidOrderDefinition<Subject, Held, Event>): boolean {
  return begins !== undefined && provider?.cancel !== undefined;
}
