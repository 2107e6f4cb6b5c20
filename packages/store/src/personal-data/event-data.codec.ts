/** Parses the stored data of an event. @throws SyntaxError if the data is not JSON. */
export function readEventData(data: string): Record<string, unknown> {
  return JSON.parse(data) as Record<string, unknown>;
}

/** Parses data of any program; returns an empty object if it is no JSON object, which the event's decoder reports. */
export function readStoredData(data: string): Record<string, unknown> {
  try {
    const members: unknown = readEventData(data);
    return typeof members === "object" && members !== null ? (members as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
