/** The keywords of a JSON Schema that say whether a value may be null. */
interface NullableSchema {
  type?: string | readonly string[] | undefined;
  enum?: readonly unknown[] | undefined;
  anyOf?: readonly NullableSchema[] | undefined;
}

/**
 * Rewrites every `anyOf: [X, {type: "null"}]` below a value, which NSwag and Kiota do not understand: X gets
 * `type: [X, "null"]`. A reference has no type beside it, so it becomes `oneOf: [X, {type: "null"}]`, which both understand.
 */
export function writeNullsAsTypes(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.values(value).forEach(writeNullsAsTypes);
  writeNullAsType(value);
}

function writeNullAsType(schema: NullableSchema): void {
  const [value, nothing, ...others] = schema.anyOf ?? [];
  if (value === undefined || nothing?.type !== "null" || others.length > 0) return;
  const { anyOf, ...own } = schema;
  for (const key of Object.keys(schema)) Reflect.deleteProperty(schema, key);
  if (typeof value.type !== "string") {
    Object.assign(schema, own, { oneOf: anyOf });
    return;
  }
  const words = own.enum ?? value.enum;
  Object.assign(schema, value, own, {
    type: [value.type, "null"],
    ...(words === undefined ? {} : { enum: [...new Set([...words, null])] }),
  });
}
