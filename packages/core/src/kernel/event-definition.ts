import { z } from "zod";

import { sealedField } from "./fields.ts";
import { parsed, unparsable, type Parsed } from "./result.ts";

/** The fields of an event's data, each with its zod schema. */
export type EventFields = z.core.$ZodShape;

/** What a schema of these fields yields. */
export type Output<Fields extends EventFields> = z.output<ReturnType<typeof z.strictObject<Fields>>>;

/** Read-only all the way down: facts are never changed. */
export type Immutable<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value;

/** The data that some fields make. */
export type DataOf<Fields extends EventFields> = Immutable<Output<Fields>>;

/** One shape that an event has or had. */
export interface EventVersion<Data extends object> {
  /** Stored behind the event's name; 1 for the first shape. */
  readonly version: number;
  /** What is stored in this shape, nothing besides. */
  readonly schema: z.ZodObject<EventFields>;
  /** Checks a stored value and lifts it to the newest shape, or says what is wrong with it. */
  readonly read: (value: unknown) => Parsed<Data>;
}

/** The shapes of an event that stores hold, up to one of them, whose data is `Data`; the oldest first. */
export interface EventHistory<Data extends object> {
  readonly versions: readonly EventVersion<Data>[];
}

/** One event: what it says, and every shape of it that stores hold. */
export interface EventDefinition<Data extends object> extends EventHistory<Data> {
  /** What has happened, for readers of `docs/reference/events`. */
  readonly sentence: string;
}

/** Events by their names. */
export type EventDefinitions = Readonly<Record<string, EventDefinition<object>>>;

/**
 * The type of a set's events, or of the one that is named.
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

/** What came before a shape: the history up to the shape before it, and the pure step from that one (the upcaster). */
export interface Earlier<Old extends object, Data extends object> {
  readonly was: readonly [before: EventHistory<Old>, upcast: (data: Old) => Data];
}

/** Says that no store holds the shapes of the event before this version. */
export interface FirstVersion {
  readonly firstVersion: number;
}

/**
 * A shape that an event had before today's.
 * @param fields JSON primitives, lists and objects of them; no field is optional, and none besides is allowed.
 */
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

/** The shape that is written today. */
export function newestOf<Data extends object>(versions: readonly EventVersion<Data>[]): EventVersion<Data> {
  const newest = versions.at(-1);
  if (newest === undefined) throw new Error("an event has no shape");
  return newest;
}

/**
 * Defines an event, once: its type, its codec, its document and what of it is personal are made from this value.
 * A stored shape is never edited: a new one puts it into `was`.
 *
 * @example
 * event("A payment was received.", { reference: text, amountCents: cents })
 * event("A payment was received.", { cents, currency: text }, { was: [v1, (data) => ({ ...data, currency: "EUR" })] })
 * event("A payment was received.", { cents, currency: text }, { firstVersion: 2 })
 *
 * @param sentence what has happened, for readers of `docs/reference/events`.
 */
export function event<const Fields extends EventFields, Old extends object>(
  sentence: string,
  fields: Fields,
  earlier?: Earlier<Old, Output<Fields>> | FirstVersion,
): EventDefinition<Output<Fields>> {
  return { sentence, ...shape(fields, earlier) };
}

/**
 * Names the events of one kind of stream.
 * @throws Error when today's shape of an event has personal texts and does not say whose they are.
 */
export function defineEvents<const Events extends EventDefinitions>(events: Events): Events {
  for (const [name, { versions }] of Object.entries(events)) {
    const today = newestOf(versions).schema.shape;
    for (const [field, schema] of Object.entries(today)) {
      const account = sealedField(schema)?.account;
      if (account !== undefined && !Object.hasOwn(today, account))
        throw new Error(`${name}: ${field} is personal, and no ${account} says whose it is`);
    }
  }
  return events;
}

/** The stored type of an event's version, for example `BalanceCharged.v1`. */
export function storedTypeOf(name: string, version: number): string {
  return `${name}.v${String(version)}`;
}

/** Where stored events hold personal data: the member that names the account, and the texts about it. */
export interface PersonalFields {
  readonly account: string;
  /** Secrets are among them. */
  readonly texts: readonly string[];
}

/** The personal fields of events, by stored type. */
export function personalFieldsOf(events: EventDefinitions): ReadonlyMap<string, PersonalFields> {
  const found = new Map<string, PersonalFields>();
  for (const [name, { versions }] of Object.entries(events))
    for (const { version, schema } of versions) {
      const fields = personalFieldsIn(schema.shape);
      if (fields !== undefined) found.set(storedTypeOf(name, version), fields);
    }
  return found;
}

/** The secrets of events, by stored type: in every version, also where it does not name the account. */
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
    const account = sealedField(schema)?.account;
    return account !== undefined && Object.hasOwn(fields, account) ? [{ field, account }] : [];
  });
  const [first] = texts;
  return first && { account: first.account, texts: texts.map(({ field }) => field) };
}
