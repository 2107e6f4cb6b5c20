/** A name or an address, and a port (RFC 9110 §7.2, RFC 3986 §3.2.2). It is empty where the request's target has no host. */
const hostPattern = /^(?:\[[\dA-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/**
 * Says what is wrong with the `Host` headers of a request; undefined where they are right. Node looks at the first alone, so
 * another server could read another one (RFC 9112 §3.2).
 * @param rawHeaders names and values in turns, as they came.
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
