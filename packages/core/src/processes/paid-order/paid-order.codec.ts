import type { DomainEvent } from "../../kernel/decider.ts";
import type { Fact, FactRole, FactRoles, Translation } from "./paid-order.facts.ts";

/** Between the facts as the flow knows them and the names and shapes under which a process stores them. */
export interface FactCodec<Subject, Held, Event> {
  read(event: Event): { readonly fact: Fact<Subject, Held>; readonly at: string };
  /**
   * @param name of a preparation's fact: there may be several.
   * @returns undefined where the process stores no such fact: the next one tells it, too.
   */
  write(fact: Fact<Subject, Held>, at: string, name?: string): Event | undefined;
}

type Stored = Readonly<Record<string, unknown>> & { readonly at?: string };

/**
 * Makes the codec of a process. The types of `FactRoles` say that every stored shape is that of its role, with the time
 * beside it: that is what the assertions here rely on, and the specs decode everything that is written.
 */
export function factCodec<Subject, Held, Event extends DomainEvent>(
  roles: FactRoles<Subject, Held, Event>,
): FactCodec<Subject, Held, Event> {
  type AnyFact = Fact<Subject, Held>;
  const names = new Map<FactRole, string>();
  const roleOf = new Map<string, FactRole>();
  const translations = new Map<string, Translation<object, AnyFact>>();
  for (const [name, role] of Object.entries<unknown>(roles) as [
    string,
    FactRole | Translation<object, AnyFact>,
  ][]) {
    if (typeof role === "object") translations.set(name, role);
    else {
      roleOf.set(name, role);
      if (!names.has(role)) names.set(role, name);
    }
  }

  function read({ type, data }: Event): { fact: AnyFact; at: string } {
    const translation = translations.get(type);
    const { at, ...rest } = data as Stored;
    if (translation !== undefined) return { fact: translation.read(data), at: at ?? "" };
    // What begins a run bears its own times.
    const fact = { role: roleOf.get(type), data: roleOf.get(type) === "begun" ? data : rest };
    return { fact: fact as AnyFact, at: at ?? "" };
  }

  function write(fact: AnyFact, at: string, name = names.get(fact.role)): Event | undefined {
    for (const [type, translation] of translations) {
      const data = translation.write(fact);
      if (data !== undefined) return { type, data: { ...data, at } } as DomainEvent as Event;
    }
    if (name === undefined) return undefined;
    const data = fact.role === "begun" ? fact.data : { ...fact.data, at };
    return { type: name, data } as DomainEvent as Event;
  }

  return { read, write };
}
