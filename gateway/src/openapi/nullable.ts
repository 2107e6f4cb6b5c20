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
  const choices = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
  const [value] = choices;
  if (value === undefined || choices.length === schema.anyOf?.length) return;
  if (choices.length > 1) {
    // One of several choices takes the null, so that no choice is null alone.
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

/** The schema of a value that may be null beside it. */
function nullable({ type, ...rest }: NullableSchema): NullableSchema {
  if (typeof type !== "string") return { type, ...rest };
  const words = rest.enum;
  return {
    ...rest,
    type: [type, "null"],
    ...(words === undefined ? {} : { enum: [...new Set([...words, null])] }),
  };
}
