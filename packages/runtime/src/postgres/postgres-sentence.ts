import { errorCodeOf } from "../error-code.ts";

/** Explains a failure of PostgreSQL as a clause about the server, without full stop and password. */
export function postgresSentence(error: unknown): string {
  const code = errorCodeOf(error) ?? "";
  const known = sentences.get(code);
  if (known !== undefined) return known;
  return `it cannot be used: ${error instanceof Error && error.message !== "" ? error.message : code}`;
}

const sentences = new Map([
  ["28P01", "the user name or the password is wrong"],
  ["28000", "the user may not connect"],
  ["3D000", "there is no such database"],
  ["42501", "the user may not create what is needed there"],
  ["53300", "it has too many connections"],
  ["57P03", "it is starting up or shutting down"],
  ["ECONNREFUSED", "nobody listens there"],
  ["ENOTFOUND", "there is no such host"],
  ["ETIMEDOUT", "it does not answer"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "its certificate is not trusted"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is not trusted"],
]);

/** Returns a database address without user, password and options. */
export function shownAddress(url: string): string {
  return url.replace(/:\/\/[^@/]*@/, "://").replace(/\?.*$/, "");
}
