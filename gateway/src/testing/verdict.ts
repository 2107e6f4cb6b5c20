/** Codes of 5xx answers caused by our own service. No request of a test may cause one. */
const ownFaults: ReadonlySet<unknown> = new Set(["internal", "deadline_exceeded", "overloaded"]);

/** Returns true for a 5xx caused by our own service. Failures of providers are documented for their operations. */
export function isOwnFault(status: number, body: unknown): boolean {
  if (status < 500) return false;
  const code: unknown = typeof body === "object" && body !== null && "code" in body ? body.code : "internal";
  return ownFaults.has(code);
}
