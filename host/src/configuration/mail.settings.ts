import { path, settings, text } from "@hostledger/runtime";
import { z } from "zod";

/** The mail server through which customers are written to. */
export const mailSettings = {
  smtpUrl: z
    .string()
    .refine(
      isMailServer,
      "must be an address such as smtps://user:password@mail.example.com, or smtp://…, without a path",
    )
    .optional()
    .register(settings, {
      variable: "HOSTLEDGER_SMTP_URL",
      meaning:
        "mail server for notices to customers: smtps://, or smtp:// with STARTTLS (optional on this machine); without it no mail is sent",
      secret: true,
    }),
  smtpCa: path().optional().register(settings, {
    variable: "HOSTLEDGER_SMTP_CA",
    meaning:
      "PEM file of the authority that signed the mail server's certificate; by default the machine's authorities",
  }),
  mailFrom: address().optional().register(settings, {
    variable: "HOSTLEDGER_MAIL_FROM",
    meaning: "sender's address of mail to customers",
  }),
  mailBounces: address().optional().register(settings, {
    variable: "HOSTLEDGER_MAIL_BOUNCES",
    meaning: "address for bounced mail (the envelope's sender); by default HOSTLEDGER_MAIL_FROM",
  }),
};

function address() {
  return text(
    "must be one e-mail address, for example hosting@example.com",
    /^[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}$/,
  );
}

function isMailServer(value: string): boolean {
  if (!/^smtps?:\/\/[^\s/?#]{1,1000}\/?$/.test(value) || !URL.canParse(value)) return false;
  const { hostname, username, password } = new URL(value);
  return hostname !== "" && [username, password].every(isEncoded);
}

/** Returns true if a part of an address can be decoded. */
function isEncoded(part: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(part);
}
