import { z } from "zod";

import { sealedField } from "./fields.ts";
import { parsed, unparsable, type Parsed } from "./result.ts";

export type EventFields = z.core.$ZodShape;

export type Output<Fields extends EventFields> = z.output<ReturnType<typeof z.strictObject<Fields>>>;

/** Makes a type read-only at every depth, because events never change. */
export type Immutable<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value;

export type DataOf<Fields extends EventFields> = Immutable<Output<Fields>>;

export interface EventVersion<Data extends object> {
  /** Version number in the stored type; 1 for the first version. */
  readonly version: number;
  /** Schema of exactly the stored fields. */
  readonly schema: z.ZodObject<EventFields>;
  /** Checks a stored value and upcasts it to the current version; an error names the invalid field. */
  readonly read: (value: unknown) => Parsed<Data>;
}

/** The stored versions of an event, oldest first, up to the version whose data is `Data`. */
export interface EventHistory<Data extends object> {
  readonly versions: readonly EventVersion<Data>[];
}

/** An event with its description and all its stored versions. */
export interface EventDefinition<Data extends object> extends EventHistory<Data> {
  /** Describes the event for readers of `docs/reference/events`. */
  readonly sentence: string;
}

export type EventDefinitions = Readonly<Record<string, EventDefinition<object>>>;

/**
 * The union of a set's events, or one event by name.
 *
 * @example
 * type AccountEvent = EventOf<typeof accountEvents>;
 * type BalanceCharged = EventOf<typeof accountEvents, "BalanceCharged">;
 */
export type EventOf<Events extends EventDefinitions, Name extends keyof Events = keyof Events> = {
  readonly [Type in Name & string]: {
    readonly type: Type;
    readonly data: Events[Type] extends EventDefinition<infer Data> ? Immutable<Data> : never;
  };
}[Name & string];

/** The earlier versions of an event and the pure function that upcasts the latest of them. */
export interface Earlier<Old extends object, Data extends object> {
  readonly was: readonly [before: EventHistory<Old>, upcast: (data: Old) => Data];
}

/** Number of the first stored version, for an event whose earlier versions no store contains. */
export interface FirstVersion {
  readonly firstVersion: number;
}

/** Defines an earlier version. @param fields JSON primitives, lists and objects; all required, no others allowed. */
export function shape<const Fields extends EventFields, Old extends object>(
  fields: Fields,
  earlier: Earlier<Old, Output<Fields>> | FirstVersion = { firstVersion: 1 },
): EventHistory<Output<Fields>> {
  const schema = z.strictObject(fields);
  const read = (value: unknown): Parsed<Output<Fields>> => {
    const { success, data, error } = schema.safeParse(value);
    if (success) return parsed(data);
    const [issue] = error.issues;
    return unparsable(`${issue?.path.join(".") ?? ""} ${issue?.message ?? "invalid"}`);
  };
  if ("firstVersion" in earlier) return { versions: [{ version: earlier.firstVersion, schema, read }] };
  const before = liftedVersions(earlier);
  return { versions: [...before, { version: newestOf(before).version + 1, schema, read }] };
}

function liftedVersions<Old extends object, Data extends object>({
  was: [before, upcast],
}: Earlier<Old, Data>): readonly EventVersion<Data>[] {
  return before.versions.map(({ version, schema, read }) => ({
    version,
    schema,
    read: (value) => {
      const stored = read(value);
      return stored.ok ? parsed(upcast(stored.value)) : stored;
    },
  }));
}

export function newestOf<Data extends object>(versions: readonly EventVersion<Data>[]): EventVersion<Data> {
  const newest = versions.at(-1);
  if (newest === undefined) throw new Error("an event has no shape");
  return newest;
}

/**
 * Defines an event once: the type, codec, document and list of personal fields come from this value. Never edit a stored
 * version: add a new version and put the old one into `was`.
 *
 * @example
 * event("A payment was received.", { reference: text, amountCents: cents })
 * event("A payment was received.", { cents, currency: text }, { was: [v1, (data) => ({ ...data, currency: "EUR" })] })
 * event("A payment was received.", { cents, currency: text }, { firstVersion: 2 })
 *
 * @param sentence describes the event for readers of `docs/reference/events`.
 */
export function event<const Fields extends EventFields, Old extends object>(
  sentence: string,
  fields: Fields,
  earlier?: Earlier<Old, Output<Fields>> | FirstVersion,
): EventDefinition<Output<Fields>> {
  return { sentence, ...shape(fields, earlier) };
}

/** Defines the events of a stream. @throws Error if a current version has a personal field, but no account id. */
export function defineEvents<const Events extends EventDefinitions>(events: Events): Events {
  for (const [name, { versions }] of Object.entries(events)) {
    const today = newestOf(versions).schema.shape;
    for (const [field, schema] of Object.entries(today)) {
      const { account, keptUntil } = sealedField(schema) ?? {};
      if (account !== undefined && !Object.hasOwn(today, account))
        throw new Error(`${name}: ${field} is personal, and no ${account} says whose it is`);
      if (keptUntil !== undefined && !Object.hasOwn(today, keptUntil))
        throw new Error(`${name}: ${field} is retained, and no ${keptUntil} says until when`);
    }
  }
  return events;
}

/** Returns the stored type of an event's version, for example `BalanceCharged.v1`. */
export function storedTypeOf(name: string, version: number): string {
  return `${name}.v${String(version)}`;
}

/** Personal fields of a stored event: `account` names the field with the account's id. */
export interface PersonalFields {
  readonly account: string;
  /** Names the field with the last year in which the law keeps the texts; absent for texts that an erasure erases. */
  readonly keptUntil?: string;
  /** Names of the personal fields, secrets included. */
  readonly texts: readonly string[];
}

/** Returns the personal fields of events, by stored type. */
export function personalFieldsOf(events: EventDefinitions): ReadonlyMap<string, PersonalFields> {
  const found = new Map<string, PersonalFields>();
  for (const [name, { versions }] of Object.entries(events))
    for (const { version, schema } of versions) {
      const fields = personalFieldsIn(schema.shape);
      if (fields !== undefined) found.set(storedTypeOf(name, version), fields);
    }
  return found;
}

/** Returns the secret fields of events, by stored type, also for versions without the account's id. */
export function secretFieldsOf(events: EventDefinitions): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [name, { versions }] of Object.entries(events))
    for (const { version, schema } of versions) {
      const secrets = Object.entries(schema.shape).flatMap(([field, type]) =>
        sealedField(type)?.isSecret === true ? [field] : [],
      );
      if (secrets.length > 0) found.set(storedTypeOf(name, version), secrets);
    }
  return found;
}

function personalFieldsIn(fields: EventFields): PersonalFields | undefined {
  const texts = Object.entries(fields).flatMap(([field, schema]) => {
    const sealed = sealedField(schema);
    return sealed !== undefined && Object.hasOwn(fields, sealed.account) ? [{ field, sealed }] : [];
  });
  const [first] = texts;
  if (first === undefined) return undefined;
  const { account, keptUntil } = first.sealed;
  return { account, ...(keptUntil !== undefined && { keptUntil }), texts: texts.map(({ field }) => field) };
}
