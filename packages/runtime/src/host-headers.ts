/** Host and port (RFC 9110 §7.2, RFC 3986 §3.2.2); empty if the request target has no host. */
const hostPattern = /^(?:\[[\dA-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/**
 * Returns the fault of a request's `Host` headers; undefined if valid. Several are refused, because Node reads the
 * first and another server may read another (RFC 9112 §3.2).
 * @param rawHeaders alternating names and values as received.
 */
export function hostHeaderFault(rawHeaders: readonly string[]): string | undefined {
  const hosts = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "host",
  );
  if (hosts.length > 1) return "The request has more than one Host header: send exactly one.";
  return hosts.every((host) => hostPattern.test(host))
    ? undefined
    : "The Host header must be a name or an address, with or without a port.";
}
