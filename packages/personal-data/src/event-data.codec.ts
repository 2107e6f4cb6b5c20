/** The members of an event's stored data. @throws SyntaxError */
export function readEventData(data: string): Record<string, unknown> {
  return JSON.parse(data) as Record<string, unknown>;
}
