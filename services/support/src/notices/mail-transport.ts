import { isLoopback } from "@hostledger/runtime";

/** Maximum wait for the server's greeting, in milliseconds. */
const answerMs = 10_000;

/**
 * Maximum silence of the server afterwards, in milliseconds, while it checks the content. RFC 5321 §4.5.3.2.6 allows
 * ten minutes, but a process's shutdown waits for the answer.
 */
const silenceMs = 25_000;

/** Mail server and sender. */
export interface MailSettings {
  /** `smtps://user:password@host:465`, or `smtp://…`, where STARTTLS is required but for this machine. */
  readonly url: string;
  /** The sender's address. */
  readonly from: string;
  /** Address for bounces. Default: the sender's address. */
  readonly bounces?: string;
  /** PEM of the authority of the server's certificate. Default: the machine's. */
  readonly ca?: string;
}

/** Returns the connection options of the mail server, without connecting. */
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
