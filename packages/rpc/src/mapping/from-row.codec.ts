import {
  ScalarType,
  type DescField,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";

/** `domain_name` → `domainName`: how protobuf's TypeScript spells the name of a field. */
export type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** Fields of a message, without protobuf's own members. */
export type FieldsOf<Desc extends DescMessage> = Omit<MessageShape<Desc>, "$typeName" | "$unknown">;

/** A column's value as a field of the same name has it: an integer is a bigint, a flag is 1 or 0, null is absence. */
type AsField<Value, Field> = Value extends null
  ? undefined
  : Value extends number
    ? Field extends bigint | boolean | number
      ? Field
      : Value
    : Value;

type Columns<Row> = { readonly [Column in keyof Row & string as Camel<Column>]: Row[Column] };

/** The fields that a column of the same name fills. */
type Filled<Row, Fields> = {
  [Name in keyof Fields]-?: Name extends keyof Columns<Row>
    ? AsField<Columns<Row>[Name], NonNullable<Fields[Name]>> extends Fields[Name]
      ? Name
      : never
    : never;
}[keyof Fields];

type Init<Desc extends DescMessage, Name> = Name extends keyof MessageInitShape<Desc>
  ? MessageInitShape<Desc>[Name]
  : never;

/** Functions for the fields that no column fills, and for fields that differ from their column. */
type Made<Row, Desc extends DescMessage, Context extends readonly unknown[]> = {
  readonly [Name in Exclude<keyof FieldsOf<Desc>, Filled<Row, FieldsOf<Desc>>>]: (
    row: Row,
    ...context: Context
  ) => Init<Desc, Name>;
} & {
  readonly [Name in Filled<Row, FieldsOf<Desc>>]?: (row: Row, ...context: Context) => Init<Desc, Name>;
};

/**
 * Declares how a row becomes a message. Columns fill the fields of equal names; other fields are listed, and a missing one does
 * not compile:
 *
 *     const priceMessage = fromRow<PriceRow>().toMessage(domain.PriceSchema, {});
 *     const serverMessage = fromRow<ServerRow>().toMessage(server.ServerSchema, {
 *       suspended: ({ status }) => status === "suspended",
 *     });
 *
 * An integer becomes a bigint or a flag if the field is one, and a null leaves its field out. Further inputs are passed beside
 * the row, because copying a row of twenty columns takes longer than creating a message.
 */
export function fromRow<Row extends object, Context extends readonly [] | readonly [unknown] = []>(): {
  toMessage<Desc extends DescMessage>(
    desc: Desc,
    made: Made<Row, Desc, Context>,
  ): (row: Row, ...context: Context) => MessageInitShape<Desc>;
} {
  return {
    toMessage<Desc extends DescMessage>(desc: Desc, made: Made<Row, Desc, Context>) {
      const fields = desc.fields.map((field) => [field.localName, reader(field, made)] as const);
      return (row: Row, ...[context]: Context) => {
        const message: Record<string, unknown> = {};
        for (const [name, read] of fields) {
          const value = read(row, context);
          if (value !== null && value !== undefined) message[name] = value;
        }
        return message as MessageInitShape<Desc>;
      };
    },
  };
}

type Reader = (row: object, context?: unknown) => unknown;

function reader({ name, localName, scalar }: DescField, made: object): Reader {
  const own = (made as Record<string, Reader | undefined>)[localName];
  if (own !== undefined) return own;
  const column = (row: object): unknown => (row as Record<string, unknown>)[name];
  if (scalar === ScalarType.INT64) return (row) => orNull(column(row), (value) => BigInt(value as number));
  if (scalar === ScalarType.BOOL) return (row) => orNull(column(row), Boolean);
  return column;
}

function orNull(value: unknown, convert: (value: unknown) => unknown): unknown {
  return value === null ? null : convert(value);
}
