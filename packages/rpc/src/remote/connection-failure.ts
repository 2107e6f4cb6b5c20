import { errorCodeOf } from "@hostledger/runtime/error-code";

/** A connection that could not be had, or that ended: no call can be sent over it. The sentence says why. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** A call for which no stream was opened: nobody has seen it. */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
}

/** Meanings of the system's and OpenSSL's codes, as the end of the sentence "<url> …". */
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refuses connections.",
  ECONNRESET: "hung up.",
  EPIPE: "hung up.",
  ENOTFOUND: "has a host name that is not known.",
  EAI_AGAIN: "has a host name that cannot be looked up now.",
  EHOSTUNREACH: "cannot be reached from here.",
  ENETUNREACH: "cannot be reached from here.",
  ETIMEDOUT: "does not answer.",
  CERT_HAS_EXPIRED: "has a TLS certificate that has expired.",
  CERT_NOT_YET_VALID: "has a TLS certificate that is not valid yet.",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a TLS certificate for another host name.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "has a TLS certificate of an authority that is not trusted here.",
  SELF_SIGNED_CERT_IN_CHAIN: "has a TLS certificate of an authority that is not trusted here.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "has a TLS certificate of an authority that is not trusted here.",
  UNABLE_TO_GET_ISSUER_CERT: "has a TLS certificate of an authority that is not trusted here.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "has a TLS certificate of an authority that is not trusted here.",
  CERT_SIGNATURE_FAILURE: "has a TLS certificate of an authority that is not trusted here.",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "wants a TLS certificate of ours, and there is none.",
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: "does not trust the authority of our TLS certificate.",
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: "does not accept our TLS certificate.",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: "does not accept our TLS certificate.",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: "does not accept our TLS certificate: it has expired.",
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: "and we have no way of TLS in common.",
  ERR_SSL_WRONG_VERSION_NUMBER: "does not speak TLS.",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "does not speak TLS.",
};

/** Creates an error that says why an address cannot be used. */
export function connectionError(url: string, cause: unknown): ConnectionError {
  if (cause instanceof ConnectionError) return cause;
  return new ConnectionError(`${url} ${sentenceOf(cause, url.startsWith("https:"))}`, { cause });
}

function sentenceOf(cause: unknown, isSecure: boolean): string {
  const codes = codesOf(cause);
  for (const code of codes) {
    const known = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
    if (known !== undefined) return known;
  }
  if (codes[0] !== undefined) return `cannot be used for calls (${codes[0]}).`;
  // Node's listeners disconnect a client with a certificate of another authority, without a reason.
  return isSecure
    ? "ended the connection before it answered: it may not accept our TLS certificate."
    : "ended the connection before it answered.";
}

/**
 * Returns the codes of an error and its causes, outermost first. Several addresses of one name fail as an aggregate.
 */
export function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  return [errorCodeOf(error) ?? [], ...parts.map(codesOf)].flat();
}
