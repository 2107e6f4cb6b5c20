/**
 * Counts the `Host` headers of a request, of which Node keeps the first: another server could read the other one
 * (RFC 9112 §3.2).
 * @param rawHeaders names and values in turns, as they came.
 */
export function countHostHeaders(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === "host").length;
}
