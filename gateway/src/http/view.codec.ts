import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Camel, FieldsOf } from "@hostledger/rpc";
import type { z } from "zod";

/** A message field in JSON: ids become numbers, absent fields null. */
type AsJson<Value> = Value extends bigint ? number : Value extends undefined ? null : Value;

/** Source of a property: the field of the same name, or the field with suffix `Cents` in euros. */
type Source<Fields, Name extends string> =
  Camel<Name> extends keyof Fields
    ? AsJson<Fields[Camel<Name>]>
    : `${Camel<Name>}Cents` extends keyof Fields
      ? number
      : unknown;

type Filled<Fields, View> = {
  [Name in keyof View]-?: Source<Fields, Name & string> extends View[Name] ? Name : never;
}[keyof View];

type Maker<Message, Value> = Value | ((message: Message) => Value);

type Made<Desc extends DescMessage, View> = {
  readonly [Name in Exclude<keyof View, Filled<FieldsOf<Desc>, View>>]: Maker<MessageShape<Desc>, View[Name]>;
} & {
  readonly [Name in Filled<FieldsOf<Desc>, View>]?: Maker<MessageShape<Desc>, View[Name]>;
};

/**
 * Declares the JSON view of a message. The schema's properties are filled by fields of the same name;
 * `made` lists the others, and a missing property does not compile:
 *
 *     const regionView = view(server.RegionSchema, schemas.region, { region: ({ code }) => code });
 *
 * Ids become numbers, `amountChargedCents` becomes `amount_charged` in euros, and absent fields become null.
 */
export function view<Desc extends DescMessage, Schema extends z.ZodObject>(
  desc: Desc,
  schema: Schema,
  made: Made<Desc, z.output<Schema>>,
): (message: MessageShape<Desc>) => z.output<Schema> {
  const own = made as Readonly<Record<string, unknown>>;
  const properties = Object.keys(schema.shape).map((name) => [name, reader(desc, name, own)] as const);
  return (message) => {
    const shown: Record<string, unknown> = {};
    for (const [name, read] of properties) shown[name] = read(message);
    return shown as z.output<Schema>;
  };
}

type Fields = Readonly<Record<string, unknown>>;

function reader(desc: DescMessage, name: string, made: Fields): (message: Fields) => unknown {
  if (name in made) {
    const maker = made[name];
    if (typeof maker === "function") return maker as (message: Fields) => unknown;
    return () => maker;
  }
  const field = desc.fields.find((candidate) => candidate.name === name);
  if (field === undefined) {
    const cents = desc.fields.find((candidate) => candidate.name === `${name}_cents`)?.localName ?? name;
    return (message) => euros(message[cents] as bigint);
  }
  const { localName } = field;
  return (message) => {
    const value = message[localName];
    return typeof value === "bigint" ? Number(value) : (value ?? null);
  };
}
/** Returns a field that services always set. @throws Error naming the missing field */
export function present<Value>(value: Value | undefined, field: string): Value {
  if (value === undefined) throw new Error(`${field} is missing from a service's answer`);
  return value;
}

/** Formats cents as euros, such as `-0.05` or `11.90`. @param cents integer cents (EUR) of any size */
export function euroText(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Decimals of up to 15 significant digits survive conversion to a double and back (IEEE 754, DBL_DIG). */
const largestExactCents = 999_999_999_999_999n;

/**
 * Converts cents to a JSON number with at most two decimals, by parsing decimal digits instead of dividing.
 * @param cents integer cents (EUR) of at most 15 digits.
 * @throws RangeError if a JSON number cannot represent the amount exactly.
 */
export function euros(cents: bigint): number {
  if (cents > largestExactCents || cents < -largestExactCents) {
    throw new RangeError(`${String(cents)} cents cannot be written exactly as a JSON number`);
  }
  return Number(euroText(cents));
}
