import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Camel, FieldsOf } from "@hostledger/rpc";
import type { z } from "zod";

import { euros } from "./money.view.ts";

/** A field of a message as JSON has it: an id is a number, what is absent is null. */
type AsJson<Value> = Value extends bigint ? number : Value extends undefined ? null : Value;

/** What fills a property: the field of the same name, or the cents of that name as euros. */
type Source<Fields, Name extends string> =
  Camel<Name> extends keyof Fields
    ? AsJson<Fields[Camel<Name>]>
    : `${Camel<Name>}Cents` extends keyof Fields
      ? number
      : unknown;

type Filled<Fields, View> = {
  [Name in keyof View]-?: Source<Fields, Name & string> extends View[Name] ? Name : never;
}[keyof View];

/** A constant, or how the property is made of the message. */
type Maker<Message, Value> = Value | ((message: Message) => Value);

type Made<Desc extends DescMessage, View> = {
  readonly [Name in Exclude<keyof View, Filled<FieldsOf<Desc>, View>>]: Maker<MessageShape<Desc>, View[Name]>;
} & {
  readonly [Name in Filled<FieldsOf<Desc>, View>]?: Maker<MessageShape<Desc>, View[Name]>;
};

/**
 * Declares how a message is shown. The properties are those of the schema, in its order; a field fills the property of its
 * name, and only the others are written down. One that is forgotten does not compile:
 *
 *     const regionView = view(server.RegionSchema, schemas.region, { region: ({ code }) => code });
 *
 * An id becomes a number, `amountChargedCents` becomes the euros of `amount_charged`, and an absent field is null.
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
/**
 * Protobuf cannot say that a message field is always there; our services do. A missing one is a bug of the service.
 * @throws Error naming the field, which the client sees as an internal error.
 */
export function present<Value>(value: Value | undefined, field: string): Value {
  if (value === undefined) throw new Error(`${field} is missing from a service's answer`);
  return value;
}
