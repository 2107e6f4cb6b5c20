import type { createDocument } from "zod-openapi";

type Document = ReturnType<typeof createDocument>;

interface ExemplarySchema {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly examples?: readonly unknown[] | undefined;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly oneOf?: readonly ExemplarySchema[] | undefined;
  readonly anyOf?: readonly ExemplarySchema[] | undefined;
  readonly properties?: Readonly<Record<string, ExemplarySchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: ExemplarySchema | undefined;
  readonly minimum?: number | undefined;
}

type NamedSchemas = Readonly<Record<string, unknown>>;

/** Creates the function that makes a schema's example from its examples, defaults and enums, field by field. */
export function exampleMaker(schemas: NamedSchemas) {
  /**
   * @param isAnswer true omits optional fields @param place such as `registerDomain 201` @throws Error naming a text
   * without an example
   */
  return function exampleOf(schema: ExemplarySchema, isAnswer: boolean, place: string): unknown {
    const { examples, default: preset, const: only, enum: words, $ref } = schema;
    const [given = preset ?? only ?? words?.[0]] = examples ?? [];
    if (given !== undefined) return given;
    const other =
      $ref === undefined ? (schema.oneOf ?? schema.anyOf)?.[0] : schemas[$ref.replace(/^.*\//, "")];
    if (isSchema(other)) return exampleOf(other, isAnswer, place);
    switch (typeof schema.type === "string" ? schema.type : schema.type?.[0]) {
      case "object": {
        const { properties = {}, required = [] } = schema;
        const shown = Object.entries(properties).filter(([name]) => !isAnswer || required.includes(name));
        return Object.fromEntries(
          shown.map(([name, field]) => [name, exampleOf(field, isAnswer, `${place} ${name}`)]),
        );
      }
      case "array":
        return [exampleOf(schema.items ?? {}, isAnswer, place)];
      case "integer":
        return Math.max(1, schema.minimum ?? 1);
      case "boolean":
        return true;
      default:
        throw new Error(`Give ${place} an example, by .meta({ examples: [...] }).`);
    }
  };
}

/** Adds an example to every request body and success answer. @param messages success sentences by operation id */
export function writeExamples(document: Document, messages: ReadonlyMap<string, string>): void {
  const exampleOf = exampleMaker(document.components?.schemas ?? {});
  const items = [...Object.values(document.paths ?? {}), ...Object.values(document.webhooks ?? {})];
  for (const operation of items.flatMap(operationsIn)) {
    const { operationId: id = "", requestBody, responses = {} } = operation;
    write(requestBody, false, id);
    for (const [status, response] of Object.entries(responses)) {
      if (status.startsWith("2")) write(response, true, `${id} ${status}`, messages.get(id));
    }
  }

  function write(body: unknown, isAnswer: boolean, place: string, message?: string): void {
    for (const media of mediaOf(body)) {
      const { schema = {} } = media;
      const { properties } = schema;
      const spoken =
        message === undefined || properties?.message === undefined
          ? schema
          : { ...schema, properties: { ...properties, message: { const: message } } };
      media.example = exampleOf(spoken, isAnswer, place);
    }
  }
}

interface Media {
  schema?: ExemplarySchema;
  example?: unknown;
}

interface DescribedOperation {
  readonly operationId?: string;
  readonly requestBody?: unknown;
  readonly responses?: Readonly<Record<string, unknown>>;
}

function operationsIn(item: object): readonly DescribedOperation[] {
  return Object.values(item).filter(
    (value): value is DescribedOperation => isObject(value) && "responses" in value,
  );
}

function mediaOf(body: unknown): readonly Media[] {
  return isObject(body) && isObject(body.content) ? Object.values(body.content).filter(isObject) : [];
}

const isSchema = (value: unknown): value is ExemplarySchema => isObject(value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
