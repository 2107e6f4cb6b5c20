import {
  isMessage,
  ScalarType,
  type DescField,
  type DescMessage,
  type MessageShape,
} from "@bufbuild/protobuf";
import { formatEuros } from "@hostledger/core";

import { jsonInteger, type JsonValue } from "./json.ts";
import type { Answer } from "./reply.ts";
import { fields, table, type Cell, type Column } from "./table.ts";

/** One thing as `--json` prints it. */
export type Document = Readonly<Record<string, JsonValue>>;

type FieldOf<Message> = Exclude<keyof Message, "$typeName" | "$unknown">;

/** Keys of `--json` by the field, where they are not the field's own name; `null` leaves a field out. */
export type Names<Desc extends DescMessage> = Readonly<
  Partial<Record<FieldOf<MessageShape<Desc>>, string | null>>
>;

/**
 * A message as `--json` prints it: every field under its own name or the one given, an id as a number, cents as euros
 * (`gross_cents` becomes `gross`), and null for what is absent.
 */
export function documentOf<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
  names?: Names<Desc>,
): Document {
  const given = new Map<string, unknown>(Object.entries(names ?? {}));
  const values = new Map<string, unknown>(Object.entries(message));
  return Object.fromEntries(
    desc.fields.flatMap((field) => {
      const name = given.get(field.localName) ?? field.name.replace(/_cents$/u, "");
      const isLeftOut = given.get(field.localName) === null || typeof name !== "string";
      return isLeftOut ? [] : [[name, jsonOf(values.get(field.localName), field)]];
    }),
  );
}

function jsonOf(value: unknown, field: DescField): JsonValue {
  if (Array.isArray(value)) return value.map((each) => jsonOf(each, field));
  switch (typeof value) {
    case "bigint":
      return field.name.endsWith("_cents") ? formatEuros(value) : jsonInteger(value);
    case "string":
    case "number":
    case "boolean":
      return value;
    case "object":
      return field.message !== undefined && isMessage(value, field.message)
        ? documentOf(field.message, value)
        : null;
    default:
      return null;
  }
}

/** What stands in a column: a field, or what is made of several; figures stand at the right edge. */
type Shown<Message> =
  | FieldOf<Message>
  | ((message: Message) => Cell)
  | { readonly right: (message: Message) => Cell };

/** What a person reads of things of one kind, by the heading of the column or the name of the line. */
export type ShownFields<Message> = Readonly<Record<string, Shown<Message>>>;

/** How things of one kind are told. */
export interface Telling<Message> {
  readonly document: (message: Message) => Document;
  /** The answer of a list of them. */
  readonly list: (messages: readonly Message[]) => Answer;
  /** The answer that is one of them. @throws Error where the instance answered without it */
  readonly one: (shown: ShownFields<Message>, message: Message | undefined) => Answer;
  /** A line for each field that is shown of one of them. */
  readonly lines: (shown: ShownFields<Message>, message: Message) => string;
}

/** Tells things of one kind by the descriptor of their message. @param document in the place of the one by the fields' names */
export function telling<Desc extends DescMessage>(
  desc: Desc,
  columns: ShownFields<MessageShape<Desc>>,
  how?: Names<Desc> | ((message: MessageShape<Desc>) => Document),
): Telling<MessageShape<Desc>> {
  type Message = MessageShape<Desc>;
  const document = typeof how === "function" ? how : (message: Message) => documentOf(desc, message, how);
  const column = (heading: string, shown: Shown<Message>): Column<Message> => {
    if (typeof shown === "function") return { heading, cell: shown };
    if (typeof shown === "object") return { heading, cell: shown.right, align: "right" };
    const field = desc.fields.find(({ localName }) => localName === shown);
    const cell = (message: Message): Cell => {
      const value: unknown = message[shown];
      const json = field === undefined ? null : jsonOf(value, field);
      return typeof json === "object" ? null : json;
    };
    const isText = [undefined, ScalarType.STRING, ScalarType.BOOL].includes(field?.scalar);
    return isText ? { heading, cell } : { heading, cell, align: "right" };
  };
  const columnsOf = (shown: ShownFields<Message>): readonly Column<Message>[] =>
    Object.entries(shown).map(([heading, each]) => column(heading, each));
  const lines: Telling<Message>["lines"] = (shown, message) =>
    fields(Object.fromEntries(columnsOf(shown).map(({ heading, cell }) => [heading, cell(message)])));
  return {
    document,
    lines,
    list: (messages) => ({ document: messages.map(document), text: table(columnsOf(columns), messages) }),
    one(shown, message) {
      if (message === undefined) throw new Error(`the instance answered without its ${desc.name}`);
      return { document: document(message), text: lines(shown, message) };
    },
  };
}
