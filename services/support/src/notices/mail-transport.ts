import { isLoopback } from "@hostledger/runtime";

/** How long the server may take until it speaks, in milliseconds. */
const answerMs = 10_000;

/**
 * How long it may be silent once it is spoken to, in milliseconds, which it is while it looks at the contents. It should have ten
 * minutes then (RFC 5321 §4.5.3.2.6), but the end of the process waits for it.
 */
const silenceMs = 25_000;

/** Where mail is handed over, and who writes it. */
export interface MailSettings {
  /** `smtps://user:password@host:465`, or `smtp://…`, where STARTTLS is required but for this machine. */
  readonly url: string;
  /** The sender's address. */
  readonly from: string;
  /** Where mail comes back to. Default: the sender's address. */
  readonly bounces?: string;
  /** PEM of the authority of the server's certificate. Default: the machine's. */
  readonly ca?: string;
}

/** How the mail server is spoken to; nothing is connected to yet. */
export function transportOptions({ url, ca }: Pick<MailSettings, "url" | "ca">) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === "smtps:";
  const host = hostname.replaceAll(/[[\]]/gu, "");
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host,
    port: port === "" ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    requireTLS: !isSecure && !isLoopback(host),
    ...(username === "" ? {} : { auth }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    connectionTimeout: answerMs,
    greetingTimeout: answerMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
