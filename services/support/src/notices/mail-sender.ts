import type { Installation } from "@hostledger/store";
import type { Timing } from "@hostledger/runtime";
import { within } from "@hostledger/runtime/async";
import { createTransport } from "nodemailer";

import type { MailFile } from "./mail-documents.ts";
import type { MailText } from "./mail-texts.ts";
import { transportOptions, type MailSettings } from "./mail-transport.ts";
import type { ReceiverAnswer } from "./receiver.ts";

/** Time limit of a mail, in milliseconds. */
const mailMs = 30_000;

export interface Mail extends MailText {
  /** Of the notice: the same at every attempt. */
  readonly id: string;
  /** A single address. */
  readonly to: string;
  /** Attached files. */
  readonly files: readonly MailFile[];
}

/** Hands mail to the mail server. */
export interface MailSender {
  /** Sends once. Never throws. What began is waited for, so that an end of the process sends nothing twice. */
  send(mail: Mail): Promise<ReceiverAnswer>;
}

export interface MailSenderOptions {
  readonly timing: Timing;
  /** Another installation may send mail of the same domain, about events that have the same numbers. */
  readonly installation: Installation;
}

/** Creates a sender; nothing is connected to before there is a mail. */
export function createMailSender(
  settings: MailSettings,
  { timing, installation }: MailSenderOptions,
): MailSender {
  const transport = createTransport(transportOptions(settings));
  const { from, bounces = from } = settings;
  const domain = from.slice(from.lastIndexOf("@") + 1);
  return {
    async send({ id, to, subject, text, html, files }) {
      if (!isOneAddress(to)) return { status: null, error: "the address is none", isFinal: true };
      const named = await installation.named().catch(() => undefined);
      if (named === undefined)
        return { status: null, error: "the event store gives no answer", isFinal: false };
      const messageId = `<${id}.${named.part}@${domain}>`;
      // An object is one address and is not read as a list.
      const recipient = { name: "", address: to };
      const headers = { "Auto-Submitted": "auto-generated" };
      const sending = transport
        .sendMail({
          from: { name: "", address: from },
          to: recipient,
          envelope: { from: bounces, to },
          // If the server supports it (RFC 3461), bounces name the original address and do not contain the
          // invoice.
          dsn: { id, return: "headers", notify: ["failure"], recipient: to },
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
      return within(mailMs, sending, late, timing);
    },
  };
}

/** Returns true for a single bare address: no line break, list or name. */
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
