import { defined } from "@hostledger/runtime";
import { z } from "zod";

/** JSON Schema keywords used by the document; reading fails on others until they are added here. */
export interface JsonSchema {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: JsonSchema | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
  readonly allOf?: readonly JsonSchema[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly pattern?: string | undefined;
  readonly default?: unknown;
  readonly examples?: readonly unknown[] | undefined;
  readonly description?: string | undefined;
}

const jsonSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.strictObject({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    properties: z.record(z.string(), jsonSchema).optional(),
    required: z.array(z.string()).optional(),
    items: jsonSchema.optional(),
    anyOf: z.array(jsonSchema).optional(),
    allOf: z.array(jsonSchema).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    exclusiveMinimum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
    pattern: z.string().optional(),
    default: z.unknown().optional(),
    examples: z.array(z.unknown()).optional(),
    description: z.string().optional(),
  }),
);

const parameter = z.object({ name: z.string(), in: z.enum(["path", "query", "header"]), schema: jsonSchema });
const jsonContent = z.object({ "application/json": z.object({ schema: jsonSchema, example: z.unknown() }) });
const answers = z.record(
  z.string(),
  z.object({ content: z.record(z.string(), z.object({ example: z.unknown().optional() })).optional() }),
);
const operation = z.object({
  operationId: z.string(),
  security: z.array(z.unknown()).optional(),
  parameters: z.array(z.union([parameter, z.object({ $ref: z.string() })])).default([]),
  requestBody: z.object({ required: z.boolean().optional(), content: jsonContent }).optional(),
  responses: z.record(z.string(), z.unknown()),
});
const documentShape = z.object({
  paths: z.record(z.string(), z.record(z.enum(["get", "post", "put", "delete"]), operation.optional())),
});

export type DocumentedParameter = z.output<typeof parameter>;

export interface DocumentedOperation {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "delete";
  readonly path: string;
  readonly needsKey: boolean;
  readonly params: readonly DocumentedParameter[];
  readonly query: readonly DocumentedParameter[];
  readonly body?: JsonSchema;
  readonly example?: unknown;
  readonly answer: unknown;
  readonly statuses: readonly number[];
}

/** Reads all operations. @throws ZodError for keywords that the tests do not support */
export function documentedOperations(document: unknown): readonly DocumentedOperation[] {
  const { paths } = documentShape.parse(document);
  const found: DocumentedOperation[] = [];
  for (const [path, item] of Object.entries(paths)) {
    for (const method of ["get", "post", "put", "delete"] as const) {
      const described = item[method];
      if (described === undefined) continue;
      const inline = described.parameters.filter((entry) => "name" in entry);
      const { schema: body, example } = described.requestBody?.content["application/json"] ?? {};
      const [success] = Object.entries(answers.parse(described.responses)).filter(([status]) =>
        status.startsWith("2"),
      );
      found.push({
        id: described.operationId,
        method,
        path,
        needsKey: described.security?.length !== 0,
        params: inline.filter((entry) => entry.in === "path"),
        query: inline.filter((entry) => entry.in === "query"),
        ...defined({ body, example }),
        answer: Object.values(success?.[1].content ?? {})[0]?.example,
        statuses: Object.keys(described.responses).map(Number),
      });
    }
  }
  return found;
}

/** Returns operations with path parameters, which other accounts must be refused. */
export function operationsWithIds(document: unknown): readonly DocumentedOperation[] {
  return documentedOperations(document).filter(({ params }) => params.length > 0);
}

export function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  const { type, enum: words, ...rest } = schema;
  if (typeof type !== "object") return schema.anyOf ?? [schema];
  return type.map((each) =>
    each === "null"
      ? { type: each }
      : { ...rest, type: each, ...defined({ enum: words?.filter((word) => word !== null) }) },
  );
}

/** Values of path parameters by name: `{ domain: 7 }`. */
export type PathValues = Readonly<Record<string, string | number>>;

/** Fills in the parameters of a path. @throws Error naming a parameter without a value. */
export function pathOf({ path }: Pick<DocumentedOperation, "path">, values: PathValues): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path}: no value for {${name}}`);
    return String(value);
  });
}

/** Returns a valid value with every field, from examples and defaults. @throws Error naming a field without an example. */
export function exampleOf(schema: JsonSchema, name = "body"): unknown {
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum?.[0] !== undefined) return schema.enum[0];
  if (schema.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([field, inner]) => [field, exampleOf(inner, field)]),
    );
  }
  throw new Error(`${name}: the document has no example of it`);
}
