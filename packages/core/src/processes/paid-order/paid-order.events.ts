import type { DomainEvent } from "../../kernel/decider.ts";
import type { EventDefinition } from "../../kernel/event-definition.ts";
import type { ChargeRefusal } from "../charge-refusal.ts";
import type { Charge, InquiryCause } from "./paid-order.state.ts";

/** Data of the events of a paid order, by their role in the flow. Each process stores them under its own names. */
export interface EventData<Subject, Held> {
  readonly begun: Subject;
  /** One of the steps before the charge is complete. */
  readonly prepared: object;
  readonly charged: Charge;
  /** The account or the stock refused, so nothing is charged. */
  readonly declined: ChargeRefusal;
  /** The provider carried out the order. Without a provider: our aggregate recorded it. */
  readonly done: Held;
  /** The order was certainly not carried out and will not be. */
  readonly refused: { readonly reason: string; readonly code?: string | null };
  /** The provider accepted the order and has not carried it out yet. */
  readonly pending: { readonly nextInquiryAt: string };
  readonly unanswered: { readonly cause: InquiryCause; readonly reason: string };
  readonly inquiryFailed: { readonly reason: string; readonly nextInquiryAt: string };
  /** The provider does not have the resource. The run asks again after the quiet period. */
  readonly notHeld: { readonly askAgainAt: string };
  /** An interrupted order is sent again under the same id. */
  readonly resumed: object;
  /** Our aggregate will no longer confirm this order, so the charge can be returned. */
  readonly fenced: object;
  readonly neverCharged: object;
  readonly returned: { readonly correctionId: number };
  readonly cancellationDue: { readonly nextAttemptAt: string };
  readonly cancelled: object;
  readonly confirmed: object;
  readonly suspended: { readonly reason: string };
  readonly retried: object;
  readonly abandoned: { readonly reason: string };
  readonly ended: { readonly outcome: string };
  /** Stored by an earlier design and no longer written; needs no action. */
  readonly historic: object;
}

export type EventRole = keyof EventData<unknown, unknown>;

export type OrderEvent<Subject, Held> = {
  [Role in EventRole]: { readonly role: Role; readonly data: EventData<Subject, Held>[Role] };
}[EventRole];

/** The roles that a stored event can have, because its data has the fields of the role. */
type RolesOf<Data, Subject, Held> = {
  [Role in EventRole]: Data extends EventData<Subject, Held>[Role] ? Role : never;
}[EventRole];

/** For each end of a run, the value of `outcome` in its last event. */
export interface Outcomes {
  readonly done: string;
  readonly declined: string;
  readonly undone: string;
}

/** A stored event with its role. The last event of a run also has the names of the outcomes. */
export interface StoredEvent<Role> extends EventDefinition<object> {
  readonly role: Role;
  readonly outcomes?: Outcomes;
}

/** Every stored event of a process. A role does not compile if the event lacks the role's data. */
export type StoredEvents<Subject, Held, Event extends DomainEvent> = {
  readonly [Type in Event["type"]]: StoredEvent<
    | RolesOf<Extract<Event, { readonly type: Type }>["data"], Subject, Held>
    | Translation<Extract<Event, { readonly type: Type }>["data"], OrderEvent<Subject, Held>>
  >;
};

/** Converts a stored event whose data determines its role, or whose fields have other names. */
export interface Translation<Data, OfEvent> {
  read(data: Data): OfEvent;
  /** Returns undefined if the event is stored under another name. The caller adds the time. */
  write(event: OfEvent): Omit<Data, "at"> | undefined;
}
