import type { DomainNameEvent } from "../../domain/domain.events.ts";
import type { DomainEvent } from "../../kernel/decider.ts";
import type { RejectionCode } from "../../kernel/rejection-catalogue.ts";
import type { ServerEvent } from "../../server/server.events.ts";
import type { RetrySchedule } from "../retry-schedule.ts";
import type { StoredFacts } from "./paid-order.facts.ts";
import type { ChargeOrder, OrderCommand, ProviderRequest, RefundOrder } from "./paid-order.inputs.ts";
import type { Charge, OrderFailure, ReleaseWhy } from "./paid-order.state.ts";

/** A step before the charge: a command, and the name of the fact that says that it is done. */
export interface Preparation<Held> {
  readonly fact: string;
  readonly command: OrderCommand<Held>;
  /** The refusal that ends the order, with nothing charged. Any other is for staff. */
  readonly declinedBy?: RejectionCode;
}

/** What the provider's answer tells of an order where it does not tell that by itself. */
export type Progress =
  | { readonly kind: "held" }
  | { readonly kind: "not-held" }
  /** It is neither as before nor as ordered: for staff. */
  | { readonly kind: "odd"; readonly words: string };

/** What is ordered at a provider. */
export interface ProviderOrder<Subject, Held> {
  readonly order: (subject: Subject) => ProviderRequest;
  /**
   * @param isAbandoned staff ends the order: what is pending is withdrawn before the provider tells how it stands.
   * @param isTaken the provider has said that it took the order down.
   */
  readonly inquire: (subject: Subject, isAbandoned: boolean, isTaken: boolean) => ProviderRequest;
  /** Left out where what is carried out cannot be taken back: then the charge stands while the provider is asked. */
  readonly cancel?: (subject: Subject) => ProviderRequest;
  /** Reads the provider's answer. Default: what it tells is held. */
  readonly progress?: (subject: Subject, held: Held) => Progress;
  /** True where a refusal may mean that the order was carried out before: then the provider is asked. */
  readonly asksAfterRefusal?: boolean;
  /** Sentences for the refund, and for staff. */
  readonly words: {
    readonly notCarriedOut: string;
    readonly silent: string;
    readonly notCancelled?: string;
  };
  readonly inquiries: RetrySchedule;
  /** After the brief inquiries, patiently; then staff is asked. */
  readonly settlement: RetrySchedule;
  /**
   * Where the provider may take an order down and carry it out later: when it is asked meanwhile; then staff is. It answers
   * such a question with what became of the order: a refusal, too, is the order's.
   */
  readonly pending?: RetrySchedule;
}

/** Why an order is undone, and what follows the refund. */
export interface Undone {
  readonly failure: OrderFailure;
  readonly then: ReleaseWhy | "settle";
}

/** The aggregate's last word on whether an order was confirmed, before its charge goes back. */
export interface Fence<Subject, Held> {
  readonly isNeeded: (undone: Undone) => boolean;
  readonly command: (subject: Subject, undone: Undone, at: string) => OrderCommand<Held>;
  /** The refusal that says that the order was confirmed: then it stays. */
  readonly confirmedBy?: RejectionCode;
  /** The refusal that says that the aggregate knows of no such order. */
  readonly unknownBy?: RejectionCode;
}

/**
 * A process that charges, orders and confirms, or undoes: the one flow (paid-order.ts), told by what is its own. What a
 * process has not, it leaves out. Functions are pure; `at` is the present instant.
 */
export interface PaidOrderDefinition<Subject, Held, Event extends DomainEvent> {
  /** What rows and staff call it. */
  readonly name: string;
  /** Category of the runs' streams. */
  readonly category: string;
  /**
   * The fact that begins a run, on the stream of what the run is about. Left out where nothing but the run's own stream
   * tells of it: then its facts are stored before its first command.
   */
  readonly begins?: {
    /** @param about as rows have it. */
    readonly stream: (about: string) => string;
    readonly by: (event: DomainNameEvent | ServerEvent) => Subject | undefined;
  };
  readonly prepare?: (subject: Subject, at: string) => readonly Preparation<Held>[];
  /** Undefined for a gift. */
  readonly charge: (subject: Subject) => ChargeOrder | undefined;
  readonly refundOf: RefundOrder["of"];
  readonly provider?: ProviderOrder<Subject, Held>;
  readonly fence?: Fence<Subject, Held>;
  /** `held` is undefined where there is no provider. */
  readonly confirm: (
    subject: Subject,
    charge: Charge | null,
    held: Held | undefined,
    at: string,
  ) => OrderCommand<Held>;
  /** Refusals after which certainly nothing was confirmed: the charge goes back. Any other is for staff. */
  readonly confirmationRefusedBy?: readonly RejectionCode[];
  readonly release: (
    subject: Subject,
    failure: OrderFailure,
    why: ReleaseWhy,
    at: string,
  ) => OrderCommand<Held>;
  /** Refusals that say that there is nothing to release. */
  readonly nothingToReleaseBy?: readonly RejectionCode[];
  /** The account and the charge's id, also of a gift that has none. */
  readonly payer: (subject: Subject) => { readonly accountId: number; readonly chargeId: string };
  readonly facts: StoredFacts<Subject, Held, Event>;
}

/**
 * Whether a run sends its order before anything of it is stored. A charge is made once, so its first owner knows that nobody has
 * asked the provider; whoever takes the run over learns of it elsewhere, and that the order may have been sent. What was sent so
 * can be cancelled, should it turn out later: so nothing has to be known of it before money goes back.
 */
export function ordersUnrecorded<Subject, Held, Event extends DomainEvent>({
  begins,
  provider,
}: PaidOrderDefinition<Subject, Held, Event>): boolean {
  return begins !== undefined && provider?.cancel !== undefined;
}
