import type { IncomingMessage, ServerResponse } from "node:http";

/** A cookie that scripts cannot read and other sites cannot send along with what they post (RFC 6265bis). */
export interface SafeCookie {
  /** Undefined where the request has none. */
  read(request: IncomingMessage): string | undefined;
  /** @param seconds how long browsers keep it; 0 takes it away. */
  write(response: ServerResponse, value: string, seconds: number): void;
}

/**
 * @param isSecure true where browsers come over TLS: then no other host of the domain, and nobody on clear text, can set it.
 */
export function safeCookie(plainName: string, isSecure: boolean): SafeCookie {
  const name = isSecure ? `__Host-${plainName}` : plainName;
  return {
    read({ headers }) {
      const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    },
    write(response, value, seconds) {
      const attributes = ["Path=/", "HttpOnly", "SameSite=Lax", `Max-Age=${String(seconds)}`];
      if (isSecure) attributes.push("Secure");
      response.appendHeader("set-cookie", [`${name}=${value}`, ...attributes].join("; "));
    },
  };
}
