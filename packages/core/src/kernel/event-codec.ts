import type { z } from "zod";

import type { DomainEvent } from "./decider.ts";
import {
  newestOf,
  personalFieldsOf,
  storedTypeOf,
  type EventDefinition,
  type EventDefinitions,
  type EventOf,
  type EventVersion,
} from "./event-definition.ts";
import { excerptOf } from "./foreign-text.ts";
import { StoredEventError } from "./stored-event-error.ts";

export class UndecodableEventError extends StoredEventError {
  override readonly name = "UndecodableEventError";
}

/** Converts events to their stored form (`BalanceCharged.v1` and JSON text) and back to the current version. */
export interface EventCodec<Event extends DomainEvent> {
  /** Returns the stored type of the current version, for example `BalanceCharged.v1`. */
  storedType(type: Event["type"]): string;
  /**
   * Returns the event's data without personal fields, for publication. Hashes would let readers confirm guesses of them.
   */
  openData(event: Event): object;
  /** Returns true for a stored type of this codec, in any version. */
  knows(storedType: string): boolean;
  /**
   * Reads a stored event and upcasts it to the current version.
   * @param source object of the stored event. Other codecs of the process that get the same object reuse the decoded event.
   * @throws UndecodableEventError if the type is unknown or the data breaks its schema.
   */
  decode(storedType: string, data: string, source?: object): Event;
  /** Every stored type and version with its schema, for documents and fixtures. */
  readonly versions: ReadonlyMap<string, z.ZodType<object>>;
}

/**
 * Builds the codec of one or several sets of events.
 *
 * @example
 * const catalogueCodec = eventCodec({ ...planEvents, ...stockEvents });
 */
export function eventCodec<Events extends EventDefinitions>(events: Events): EventCodec<EventOf<Events>> {
  const current = new Map<string, string>();
  const personal = new Map<string, readonly string[]>();
  const personalFields = personalFieldsOf(events);
  const schemas = new Map<string, z.ZodType<object>>();
  const readers = new Map<string, (data: string, source?: object) => EventOf<Events>>();
  for (const [type, { versions }] of Object.entries<EventDefinition<object>>(events)) {
    const today = storedTypeOf(type, newestOf(versions).version);
    current.set(type, today);
    const texts = personalFields.get(today)?.texts;
    if (texts !== undefined) personal.set(type, texts);
    for (const version of versions) {
      const storedType = storedTypeOf(type, version.version);
      schemas.set(storedType, version.schema);
      const readText = (text: string): DomainEvent => ({ type, data: read(storedType, version, text) });
      readers.set(
        storedType,
        (text, source) => readOnce(source, version, () => readText(text)) as EventOf<Events>,
      );
    }
  }
  return {
    versions: schemas,
    storedType: (type) => current.get(type) ?? unknownType(type),
    openData({ type, data }) {
      const texts = personal.get(type);
      if (texts === undefined) return data;
      return Object.fromEntries(Object.entries(data).filter(([field]) => !texts.includes(field)));
    },
    knows: (storedType) => readers.has(storedType),
    decode: (storedType, data, source) => (readers.get(storedType) ?? unknownType(storedType))(data, source),
  };
}

/** Cache of decoded events by stored event, with the version of the definition that decoded each. */
const eventsRead = new WeakMap<object, { readonly version: object; readonly event: DomainEvent }>();

/** Decodes a stored event once per process, although each service has its own codec of the same definitions. */
function readOnce(source: object | undefined, version: object, readEvent: () => DomainEvent): DomainEvent {
  if (source === undefined) return readEvent();
  const known = eventsRead.get(source);
  if (known?.version === version) return known.event;
  const event = readEvent();
  eventsRead.set(source, { version, event });
  return event;
}

function unknownType(type: string): never {
  throw new UndecodableEventError(
    `no event of the type ${excerptOf(type)} is known to this version of Hostledger`,
  );
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
  throw new UndecodableEventError(`${storedType}: ${excerptOf(result.error)}`);
}
