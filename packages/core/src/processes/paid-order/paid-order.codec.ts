import type { DomainEvent } from "../../kernel/decider.ts";
import { eventCodec, type EventCodec } from "../../kernel/event-codec.ts";
import type { Fact, FactRole, Outcomes, StoredFact, StoredFacts, Translation } from "./paid-order.facts.ts";

/** Between the facts as the flow knows them and the names and shapes under which a process stores them. */
export interface FactCodec<Subject, Held, Event extends DomainEvent> {
  readonly outcomes: Outcomes;
  /** The events themselves. */
  readonly events: EventCodec<Event>;
  read(event: Event): { readonly fact: Fact<Subject, Held>; readonly at: string };
  /**
   * @param name of a preparation's fact: there may be several.
   * @returns undefined where the process stores no such fact: the next one tells it, too.
   */
  write(fact: Fact<Subject, Held>, at: string, name?: string): Event | undefined;
}

type Stored = Readonly<Record<string, unknown>> & { readonly at?: string };

/**
 * Makes the codec of a process. The types of `StoredFacts` say that every stored shape is that of its role, with the time
 * beside it: that is what the assertions here rely on, and the specs decode everything that is written.
 * @throws Error where no fact ends a run.
 */
export function factCodec<Subject, Held, Event extends DomainEvent>(
  facts: StoredFacts<Subject, Held, Event>,
): FactCodec<Subject, Held, Event> {
  type AnyFact = Fact<Subject, Held>;
  const stored = facts as Readonly<Record<string, StoredFact<FactRole | Translation<object, AnyFact>>>>;
  const names = new Map<FactRole, string>();
  const translations = new Map<string, Translation<object, AnyFact>>();
  for (const [name, { role }] of Object.entries(stored)) {
    if (typeof role === "object") translations.set(name, role);
    else if (!names.has(role)) names.set(role, name);
  }

  function read({ type, data }: Event): { fact: AnyFact; at: string } {
    const translation = translations.get(type);
    const { at, ...rest } = data as Stored;
    if (translation !== undefined) return { fact: translation.read(data), at: at ?? "" };
    const role = stored[type]?.role;
    // What begins a run bears its own times.
    return { fact: { role, data: role === "begun" ? data : rest } as AnyFact, at: at ?? "" };
  }

  function write(fact: AnyFact, at: string, name = names.get(fact.role)): Event | undefined {
    for (const [type, translation] of translations) {
      const data = translation.write(fact);
      if (data !== undefined) return { type, data: { ...data, at } } as DomainEvent as Event;
    }
    if (name === undefined) return undefined;
    const data = fact.role === "begun" ? fact.data : fieldsOf(stored[name], { ...fact.data, at });
    return { type: name, data } as DomainEvent as Event;
  }

  const outcomes = Object.values(stored).find((fact) => fact.outcomes !== undefined)?.outcomes;
  if (outcomes === undefined) throw new Error("a process without a fact that ends its runs");
  return { outcomes, events: eventCodec(facts) as EventCodec<DomainEvent> as EventCodec<Event>, read, write };
}

/** Reads the facts of a process, for readers that do not know which process it is. Only its own facts may be given. */
export function factReader<Subject, Held, Event extends DomainEvent>(
  facts: StoredFacts<Subject, Held, Event>,
): (event: DomainEvent) => Fact<unknown, unknown> {
  const codec = factCodec(facts);
  return (event) => codec.read(event as Event).fact;
}

/** What the fact has a field for, in the order of its fields; null where there is no value for one. */
function fieldsOf(fact: StoredFact<unknown> | undefined, data: Readonly<Record<string, unknown>>): object {
  const fields = Object.keys(fact?.versions.at(-1)?.schema.shape ?? {});
  return Object.fromEntries(fields.map((field) => [field, data[field] ?? null]));
}
