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

export type Document = Readonly<Record<string, JsonValue>>;

type FieldOf<Message> = Exclude<keyof Message, "$typeName" | "$unknown">;

/** Keys in `--json` by field, if different from the field's name; `null` omits a field. */
export type Names<Desc extends DescMessage> = Readonly<
  Partial<Record<FieldOf<MessageShape<Desc>>, string | null>>
>;

/** Converts a message for `--json`: ids as numbers, cents as euros (`gross_cents` as `gross`), absent fields null. */
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

/** Source of a column: a field or a function. `right` aligns numbers to the right. */
type Shown<Message> =
  | FieldOf<Message>
  | ((message: Message) => Cell)
  | { readonly right: (message: Message) => Cell };

/** Shown fields by column heading or line name. */
export type ShownFields<Message> = Readonly<Record<string, Shown<Message>>>;

/** Formats messages of one kind. */
export interface MessageView<Message> {
  readonly document: (message: Message) => Document;
  readonly list: (messages: readonly Message[]) => Answer;
  /** Returns the answer with one message. @throws Error if the instance's answer lacks the message */
  readonly one: (shown: ShownFields<Message>, message: Message | undefined) => Answer;
  readonly lines: (shown: ShownFields<Message>, message: Message) => string;
}

/** Creates the formatter of a message type. @param how names of the JSON keys, or a function that makes the JSON document */
export function viewOf<Desc extends DescMessage>(
  desc: Desc,
  columns: ShownFields<MessageShape<Desc>>,
  how?: Names<Desc> | ((message: MessageShape<Desc>) => Document),
): MessageView<MessageShape<Desc>> {
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
  const lines: MessageView<Message>["lines"] = (shown, message) =>
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
