import type { z } from "zod";

import type { DomainEvent } from "./decider.ts";

/** An upcaster turns the stored data of version n into that of version n + 1. Pure. */
export type Upcaster = (data: never) => object;

/** One event's history of shapes: the schema of each version, oldest first, and the steps between them. */
export interface EventVersions {
  /** `schemas[0]` is v1. The last one is what is written today. */
  readonly schemas: readonly z.ZodType<object>[];
  /** `upcasters[0]` turns v1 into v2; one fewer than `schemas`. */
  readonly upcasters?: readonly Upcaster[];
}

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

/** Builds the codec of a set of events from their version histories, one entry for each event type. */
export function eventCodec<Event extends DomainEvent>(
  histories: Readonly<Record<Event["type"], EventVersions>>,
): EventCodec<Event> {
  const current = new Map<string, string>();
  const versions = new Map<string, z.ZodType<object>>();
  const readers = new Map<string, (data: string) => Event>();
  for (const [type, { schemas, upcasters = [] }] of Object.entries<EventVersions>(histories)) {
    if (schemas.length !== upcasters.length + 1)
      throw new Error(`${type}: one upcaster between two versions`);
    current.set(type, `${type}.v${String(schemas.length)}`);
    schemas.forEach((schema, index) => {
      const storedType = `${type}.v${String(index + 1)}`;
      versions.set(storedType, schema);
      readers.set(
        storedType,
        (text) => ({ type, data: lift(read(storedType, schema, text), upcasters.slice(index)) }) as Event,
      );
    });
  }
  return {
    versions,
    storedType: (type) => current.get(type) ?? unknownType(type),
    knows: (storedType) => readers.has(storedType),
    decode: (storedType, data) => (readers.get(storedType) ?? unknownType(storedType))(data),
  };
}

function unknownType(type: string): never {
  throw new UndecodableEventError(`no event of the type ${type} is known to this version of Hostledger`);
}

function read(storedType: string, schema: z.ZodType<object>, text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UndecodableEventError(`${storedType}: the data is not JSON`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new UndecodableEventError(
    `${storedType}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "invalid"}`,
  );
}

function lift(data: object, upcasters: readonly Upcaster[]): object {
  return upcasters.reduce((value, upcast) => upcast(value as never), data);
}
