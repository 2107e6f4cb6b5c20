/** Fields of an object without `undefined`. */
export type Defined<Fields extends object> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

/**
 * Omits undefined fields, for properties that are absent or have a value:
 *
 *     callService({ url, ...defined({ tls, limits }) })
 */
export function defined<Fields extends object>(fields: Fields): Defined<Fields>;
export function defined(fields: Readonly<Record<string, unknown>>): object {
  // A loop, because every request calls this a dozen times.
  const kept: Record<string, unknown> = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept;
}
