import { isLoopback, type Timing } from "@hostledger/runtime";
import { within } from "@hostledger/runtime/async";
import { createTransport } from "nodemailer";

import type { MailFile } from "./mail-documents.ts";
import type { MailText } from "./mail-texts.ts";
import type { ReceiverAnswer } from "./receiver.ts";

/** How long one mail may take, and the server for one answer, in milliseconds. */
const limits = { mailMs: 30_000, answerMs: 10_000 };

/** Where mail is handed over, and who writes it. */
export interface MailSettings {
  /** `smtps://user:password@host:465`, or `smtp://…`, where STARTTLS is required but for this machine. */
  readonly url: string;
  /** The sender's address. */
  readonly from: string;
  /** PEM of the authority of the server's certificate. Default: the machine's. */
  readonly ca?: string;
}

/** A mail to one person. */
export interface Mail extends MailText {
  /** Of the notice: the same at every attempt. */
  readonly id: string;
  /** One address. */
  readonly to: string;
  /** What is attached. */
  readonly files: readonly MailFile[];
}

/** Hands mail to the mail server. */
export interface MailSender {
  /** Sends once. Never throws. What began is waited for, so that an end of the process sends nothing twice. */
  send(mail: Mail): Promise<ReceiverAnswer>;
}

/** Creates a sender; nothing is connected to before there is a mail. */
export function createMailSender({ url, from, ca }: MailSettings, timing: Timing): MailSender {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === "smtps:";
  const host = hostname.replaceAll(/[[\]]/gu, "");
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const transport = createTransport({
    host,
    port: port === "" ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    requireTLS: !isSecure && !isLoopback(host),
    ...(username === "" ? {} : { auth }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    connectionTimeout: limits.answerMs,
    greetingTimeout: limits.answerMs,
    socketTimeout: limits.answerMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.slice(from.lastIndexOf("@") + 1);
  return {
    async send({ id, to, subject, text, html, files }) {
      if (!isOneAddress(to)) return { status: null, error: "the address is none", isFinal: true };
      const messageId = `<${id}@${domain}>`;
      // An object is one address and is not read as a list.
      const recipient = { name: "", address: to };
      const headers = { "Auto-Submitted": "auto-generated" };
      const sending = transport
        .sendMail({
          from: { name: "", address: from },
          to: recipient,
          subject,
          text,
          html,
          messageId,
          headers,
          attachments: files.map(({ name, mediaType, content }) => ({
            filename: name,
            contentType: mediaType,
            content: Buffer.from(content),
          })),
        })
        .then((): ReceiverAnswer => ({ status: 250, error: null }))
        .catch(answerOf);
      const late = (): ReceiverAnswer => ({ status: null, error: "the mail server took too long" });
      return within(limits.mailMs, sending, late, timing);
    },
  };
}

/** One address and nothing beside it: no line break, no list, no name. */
function isOneAddress(text: string): boolean {
  return /^[^\s\p{Cc}@,;:<>()[\]\\"]{1,64}@[^\s\p{Cc}@,;:<>()[\]\\"]{1,253}$/u.test(text);
}

/**
 * Of this mail the server may refuse the recipient or the contents for good (5xx, RFC 5321 §4.2.1). What it refuses before,
 * the sender or the credentials, is for the operator to mend, and is tried again like an interruption.
 */
function answerOf(error: unknown): ReceiverAnswer {
  const { responseCode, command, code } = detailsOf(error);
  if (responseCode === undefined) return { status: null, error: `could not be handed over (${code})` };
  const isFinal = responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
  return {
    status: responseCode,
    error: `the mail server answered ${String(responseCode)} (${code})`,
    isFinal,
  };
}

function detailsOf(error: unknown) {
  const of = (name: string): unknown =>
    error instanceof Error ? new Map<string, unknown>(Object.entries(error)).get(name) : undefined;
  const [responseCode, command, code] = [of("responseCode"), of("command"), of("code")];
  return {
    responseCode: typeof responseCode === "number" ? responseCode : undefined,
    command,
    code: typeof code === "string" ? code.slice(0, 60) : "unknown",
  };
}
