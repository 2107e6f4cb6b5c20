/** Turns one line of the JSON log into one for people: time, level, sentence, then the other fields. */
export function prettyLine(json: string): string {
  const { time, level, message, error, ...others } = parseFields(json);
  const stack = stackOf(error);
  const fields = Object.entries(stack === undefined && error !== undefined ? { error, ...others } : others);
  const shown = fields.map(([name, value]) => ` ${name}=${show(value)}`).join("");
  const trace = stack === undefined ? "" : `\n  ${stack.replaceAll("\n", "\n  ")}`;
  return `${show(time).slice(11, 23)} ${show(level).toUpperCase().padEnd(5)} ${show(message)}${shown}${trace}\n`;
}

function parseFields(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function stackOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("stack" in error)) return undefined;
  return typeof error.stack === "string" ? error.stack : undefined;
}

function show(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
