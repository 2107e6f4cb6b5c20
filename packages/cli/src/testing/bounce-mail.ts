export interface BounceMail {
  readonly noticeId: string;
  readonly recipients?: readonly string[];
  /** Address that the mail was forwarded to; absent if not forwarded. */
  readonly finalRecipient?: string;
  readonly action?: string;
  readonly status?: string;
  readonly type?: string;
  readonly returned?: "message/rfc822" | "text/rfc822-headers";
  readonly encoding?: string;
  readonly encode?: (part: string) => string;
}

/** Creates a delivery status notification like mail servers (RFC 3464, appendix E). */
export function bounceMail({
  noticeId,
  recipients = ["ada@example.org"],
  finalRecipient,
  action = "failed",
  status = "5.1.1",
  type = "rfc822; ",
  returned = "message/rfc822",
  encoding = "7bit",
  encode = (part) => part,
}: BounceMail): string {
  const boundary = "RAA14128.773615765/MX.EXAMPLE.ORG";
  const groups = recipients.map((recipient) => [
    `Original-Recipient: ${type}${recipient}`,
    `Final-Recipient: ${type}${finalRecipient ?? recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: smtp; 550 ${status} <${recipient}>:`,
    " user unknown",
    "",
  ]);
  const headers = [`Message-ID: <${noticeId}@example.com>`, "From: hosting@example.com", "Subject: Notice"];
  const part = (mediaType: string, lines: readonly string[]) => [
    `--${boundary}`,
    `Content-Type: ${mediaType}`,
    `Content-Transfer-Encoding: ${encoding}`,
    "",
    encode(lines.join("\r\n")),
  ];
  return [
    "Return-Path: <>",
    "From: Mail Delivery System <MAILER-DAEMON@mx.example.org>",
    "To: bounces@example.com",
    "Subject: Undelivered Mail Returned to Sender",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    "",
    ...part("text/plain; charset=us-ascii", [
      "I am sorry to have to inform you that your mail came back.",
      "",
    ]),
    ...part("message/delivery-status", ["Reporting-MTA: dns; mx.example.org", "", ...groups.flat()]),
    ...part(
      returned,
      returned === "message/rfc822" ? [...headers, "", "Something was registered.", ""] : [...headers, ""],
    ),
    `--${boundary}--`,
    "",
  ].join("\r\n");
}
