import type { z } from "zod";

import type { DomainEvent } from "./decider.ts";
import {
  shape,
  storedTypeOf,
  type EventDefinitions,
  type EventFields,
  type EventHistory,
  type EventOf,
  type EventVersion,
} from "./event-definition.ts";
import { parsed, unparsable } from "./result.ts";

/** Thrown when a stored event has no known type and version, or its data breaks the version's schema. */
export class UndecodableEventError extends Error {
  override readonly name = "UndecodableEventError";
}

/** Turns events into their stored form (`BalanceCharged.v1` and JSON text) and back to today's shape. */
export interface EventCodec<Event extends DomainEvent> {
  /** The stored type written today, for example `BalanceCharged.v1`. */
  storedType(type: Event["type"]): string;
  /** True for a stored type of this codec, in any version. */
  knows(storedType: string): boolean;
  /** Reads a stored event and lifts it to the current version. @throws UndecodableEventError */
  decode(storedType: string, data: string): Event;
  /** Every stored type and version with its schema, for documents and fixtures. */
  readonly versions: ReadonlyMap<string, z.ZodType<object>>;
}

/**
 * Builds the codec of a set of events, which may be put together from several.
 *
 * @example
 * const catalogueCodec = eventCodec({ ...planEvents, ...stockEvents });
 */
export function eventCodec<Events extends EventDefinitions>(events: Events): EventCodec<EventOf<Events>> {
  return codecOf(events);
}

/** An upcaster turns the stored data of version n into that of version n + 1. Pure. */
export type Upcaster = (data: never) => object;

/** One event's history of shapes: the schema of each version, oldest first, and the steps between them. */
export interface EventVersions {
  /** `schemas[0]` is v1. The last one is what is written today. */
  readonly schemas: readonly z.ZodObject<EventFields>[];
  /** `upcasters[0]` turns v1 into v2; one fewer than `schemas`. */
  readonly upcasters?: readonly Upcaster[];
}

/** The codec of events that are not defined by `defineEvents` yet. */
export function historyCodec<Event extends DomainEvent>(
  histories: Readonly<Record<Event["type"], EventVersions | EventHistory<object>>>,
): EventCodec<Event> {
  const entries = Object.entries<EventVersions | EventHistory<object>>(histories);
  return codecOf(
    Object.fromEntries(
      entries.map(([type, history]) => [type, "versions" in history ? history : definitionOf(history)]),
    ),
  );
}

function definitionOf({ schemas, upcasters = [] }: EventVersions): EventHistory<object> {
  return {
    versions: schemas.map((schema, index) => ({
      schema,
      read: (value) => {
        const stored = shape(schema.shape).versions[0]?.read(value);
        if (stored?.ok !== true) return unparsable(stored?.ok === false ? stored.error : "");
        return parsed(
          upcasters.slice(index).reduce<object>((data, upcast) => upcast(data as never), stored.value),
        );
      },
    })),
  };
}

function codecOf<Event extends DomainEvent>(
  events: Readonly<Record<string, EventHistory<object>>>,
): EventCodec<Event> {
  const current = new Map<string, string>();
  const schemas = new Map<string, z.ZodType<object>>();
  const readers = new Map<string, (data: string) => Event>();
  for (const [type, { versions }] of Object.entries(events)) {
    current.set(type, storedTypeOf(type, versions.length));
    versions.forEach((version, index) => {
      const storedType = storedTypeOf(type, index + 1);
      schemas.set(storedType, version.schema);
      readers.set(storedType, (text) => ({ type, data: read(storedType, version, text) }) as Event);
    });
  }
  return {
    versions: schemas,
    storedType: (type) => current.get(type) ?? unknownType(type),
    knows: (storedType) => readers.has(storedType),
    decode: (storedType, data) => (readers.get(storedType) ?? unknownType(storedType))(data),
  };
}

function unknownType(type: string): never {
  throw new UndecodableEventError(`no event of the type ${type} is known to this version of Hostledger`);
}

function read(storedType: string, version: EventVersion<object>, text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UndecodableEventError(`${storedType}: the data is not JSON`);
  }
  const result = version.read(value);
  if (result.ok) return result.value;
  throw new UndecodableEventError(`${storedType}: ${result.error}`);
}
