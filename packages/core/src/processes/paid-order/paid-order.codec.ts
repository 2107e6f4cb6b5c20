import type { DomainEvent } from "../../kernel/decider.ts";
import { eventCodec, type EventCodec } from "../../kernel/event-codec.ts";
import type {
  OrderEvent,
  EventRole,
  Outcomes,
  StoredEvent,
  StoredEvents,
  Translation,
} from "./paid-order.events.ts";

/** Converts between the events of the flow, by role, and the stored events of a process. */
export interface OrderEventCodec<Subject, Held, Event extends DomainEvent> {
  readonly outcomes: Outcomes;
  readonly events: EventCodec<Event>;
  read(event: Event): { readonly event: OrderEvent<Subject, Held>; readonly at: string };
  /**
   * @param name stored name of a preparation's event, because a process may have several.
   * @returns undefined if the process does not store this event because the next event implies it.
   */
  write(event: OrderEvent<Subject, Held>, at: string, name?: string): Event | undefined;
}

type Stored = Readonly<Record<string, unknown>> & { readonly at?: string };

/**
 * Makes the codec of a process. The types of `StoredFacts` guarantee that each stored shape fits its role plus the time.
 * The type assertions here rely on that guarantee, and the specs decode every written event.
 * @throws Error if no event ends a run.
 */
export function orderEventCodec<Subject, Held, Event extends DomainEvent>(
  events: StoredEvents<Subject, Held, Event>,
): OrderEventCodec<Subject, Held, Event> {
  type AnyEvent = OrderEvent<Subject, Held>;
  const stored = events as Readonly<Record<string, StoredEvent<EventRole | Translation<object, AnyEvent>>>>;
  const names = new Map<EventRole, string>();
  const translations = new Map<string, Translation<object, AnyEvent>>();
  for (const [name, { role }] of Object.entries(stored)) {
    if (typeof role === "object") translations.set(name, role);
    else if (!names.has(role)) names.set(role, name);
  }

  function read({ type, data }: Event): { event: AnyEvent; at: string } {
    const translation = translations.get(type);
    const { at, ...rest } = data as Stored;
    if (translation !== undefined) return { event: translation.read(data), at: at ?? "" };
    const role = stored[type]?.role;
    // The first event of a run has its own times.
    return { event: { role, data: role === "begun" ? data : rest } as AnyEvent, at: at ?? "" };
  }

  function write(event: AnyEvent, at: string, name = names.get(event.role)): Event | undefined {
    for (const [type, translation] of translations) {
      const data = translation.write(event);
      if (data !== undefined) return { type, data: { ...data, at } } as DomainEvent as Event;
    }
    if (name === undefined) return undefined;
    const data = event.role === "begun" ? event.data : fieldsOf(stored[name], { ...event.data, at });
    return { type: name, data } as DomainEvent as Event;
  }

  const outcomes = Object.values(stored).find((event) => event.outcomes !== undefined)?.outcomes;
  if (outcomes === undefined) throw new Error("a process without an event that ends its runs");
  return {
    outcomes,
    events: eventCodec(events) as EventCodec<DomainEvent> as EventCodec<Event>,
    read,
    write,
  };
}

/**
 * Returns a reader for the events of one process, for callers that handle several processes. The reader accepts only
 * events of that process.
 */
export function eventReader<Subject, Held, Event extends DomainEvent>(
  events: StoredEvents<Subject, Held, Event>,
): (event: DomainEvent) => OrderEvent<unknown, unknown> {
  const codec = orderEventCodec(events);
  return (event) => codec.read(event as Event).event;
}

/** Returns the fields of the stored event in their order, with null for absent values. */
function fieldsOf(event: StoredEvent<unknown> | undefined, data: Readonly<Record<string, unknown>>): object {
  const fields = Object.keys(event?.versions.at(-1)?.schema.shape ?? {});
  return Object.fromEntries(fields.map((field) => [field, data[field] ?? null]));
}
