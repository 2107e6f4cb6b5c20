import type { DomainEvent } from "../../kernel/decider.ts";
import type { EventDefinition } from "../../kernel/event-definition.ts";
import type { ChargeRefusal } from "../charge-refusal.ts";
import type { Charge, InquiryCause } from "./paid-order.state.ts";

/** What happens to a paid order, by the role that it plays in the flow: each process has stored names of its own. */
export interface FactData<Subject, Held> {
  readonly begun: Subject;
  /** One of the steps before the charge is done. */
  readonly prepared: object;
  readonly charged: Charge;
  /** The account, or the stock, said no: nothing is charged. */
  readonly declined: ChargeRefusal;
  /** The provider carried the order out; or, where there is none, our aggregate tells of it. */
  readonly done: Held;
  /** It was certainly not carried out, and will not be. */
  readonly refused: { readonly reason: string; readonly code?: string | null };
  /** The provider took the order down, and has yet to carry it out. */
  readonly pending: { readonly nextInquiryAt: string };
  readonly unanswered: { readonly cause: InquiryCause; readonly reason: string };
  readonly inquiryFailed: { readonly reason: string; readonly nextInquiryAt: string };
  /** The provider says that it holds nothing; it is asked once more, after the quiet period. */
  readonly notHeld: { readonly askAgainAt: string };
  /** An order that was interrupted is sent again, under the same id. */
  readonly resumed: object;
  /** Our aggregate does not confirm this order any more: the charge can go back. */
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
  /** Stored by an earlier design and no longer written: nothing of it is left to do here. */
  readonly historic: object;
}

/** The roles of facts. */
export type FactRole = keyof FactData<unknown, unknown>;

/** A fact by its role. */
export type Fact<Subject, Held> = {
  [Role in FactRole]: { readonly role: Role; readonly data: FactData<Subject, Held>[Role] };
}[FactRole];

/** The roles that the data of a stored fact can play. */
type RolesOf<Data, Subject, Held> = {
  [Role in FactRole]: Data extends FactData<Subject, Held>[Role] ? Role : never;
}[FactRole];

/** The last fact's word for each end of a run. */
export interface Outcomes {
  readonly done: string;
  readonly declined: string;
  readonly undone: string;
}

/** A fact as it is stored, with its role. The last one has the words of the ends, too. */
export interface StoredFact<Role> extends EventDefinition<object> {
  readonly role: Role;
  readonly outcomes?: Outcomes;
}

/** Every stored fact of a process. A role whose data one does not hold does not compile. */
export type StoredFacts<Subject, Held, Event extends DomainEvent> = {
  readonly [Type in Event["type"]]: StoredFact<
    | RolesOf<Extract<Event, { readonly type: Type }>["data"], Subject, Held>
    | Translation<Extract<Event, { readonly type: Type }>["data"], Fact<Subject, Held>>
  >;
};

/** A stored fact that tells its role by its data, or keeps them under other names. */
export interface Translation<Data, OfFact> {
  read(data: Data): OfFact;
  /** Undefined for a fact that has another name. The time is added. */
  write(fact: OfFact): Omit<Data, "at"> | undefined;
}
