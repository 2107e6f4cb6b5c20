/** The members of an event's stored data. @throws SyntaxError */
export function readEventData(data: string): Record<string, unknown> {
  return JSON.parse(data) as Record<string, unknown>;
}

/** The members of data that any program may have stored; none where it is no JSON object, which whoever decodes the event will say. */
export function readStoredData(data: string): Record<string, unknown> {
  try {
    const members: unknown = readEventData(data);
    return typeof members === "object" && members !== null ? (members as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
