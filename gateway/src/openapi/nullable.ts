/** The JSON Schema keywords that allow null. */
interface NullableSchema {
  type?: string | readonly string[] | undefined;
  enum?: readonly unknown[] | undefined;
  anyOf?: readonly NullableSchema[] | undefined;
}

/**
 * Rewrites every `anyOf: [X, {type: "null"}]` below a value to `type: [X, "null"]`, because NSwag and Kiota do not
 * understand the former. A reference cannot have a type, so it becomes `oneOf: [X, {type: "null"}]`, which both
 * understand.
 */
export function writeNullsAsTypes(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.values(value).forEach(writeNullsAsTypes);
  writeNullAsType(value);
}

function writeNullAsType(schema: NullableSchema): void {
  const choices = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  const [value] = choices;
  if (value === undefined || choices.length === schema.anyOf?.length) return;
  if (choices.length > 1) {
    // Adds null to the first choice, so that no choice is null alone.
    schema.anyOf = [nullable(value), ...choices.slice(1)];
    return;
  }
  const { anyOf, ...own } = schema;
  for (const key of Object.keys(schema)) Reflect.deleteProperty(schema, key);
  Object.assign(
    schema,
    typeof value.type === "string" ? nullable({ ...value, ...own }) : { ...own, oneOf: anyOf },
  );
}

/** Returns the schema with null allowed. */
function nullable({ type, ...rest }: NullableSchema): NullableSchema {
  if (typeof type !== "string") return { type, ...rest };
  const words = rest.enum;
  return {
    ...rest,
    type: [type, "null"],
    ...(words === undefined ? {} : { enum: [...new Set([...words, null])] }),
  };
}
