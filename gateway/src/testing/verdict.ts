/** Codes of a 5xx that say the service itself failed, whatever the request was. No request of a test may lead to one. */
const ownFaults: ReadonlySet<unknown> = new Set(["internal", "deadline_exceeded", "overloaded"]);

/**
 * True for a 5xx that nobody outside is to blame for. The others, such as a registrar that cannot be reached, stand in the
 * contract and in the document of their operation.
 */
export function isOwnFault(status: number, body: unknown): boolean {
  if (status < 500) return false;
  const code: unknown = typeof body === "object" && body !== null && "code" in body ? body.code : "internal";
  return ownFaults.has(code);
}
