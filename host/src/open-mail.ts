import { wrong, type ProviderFinding } from "@hostledger/providers";
import { defined } from "@hostledger/runtime";
import { checkMailServer, type MailSettings } from "@hostledger/support-service";

import type { Configuration } from "./configuration/index.ts";
import { readNamedFile } from "./configuration/named-file.ts";

/** Through which server customers are written to, where one is configured. @throws ConfigurationError where the authority's file cannot be read */
export function openMail({
  smtpUrl: url,
  smtpCa,
  mailFrom: from,
  mailBounces: bounces,
}: Configuration): MailSettings | undefined {
  if (url === undefined || from === undefined) return undefined;
  return {
    url,
    from,
    ...defined({
      bounces,
      ca: smtpCa === undefined ? undefined : readNamedFile("HOSTLEDGER_SMTP_CA", smtpCa),
    }),
  };
}

/** Returns a sentence for each missing setting. */
export function mailMistakes({ smtpUrl, mailFrom }: Configuration): readonly string[] {
  if (smtpUrl === undefined || mailFrom !== undefined) return [];
  return ["HOSTLEDGER_MAIL_FROM must name the sender's address, because HOSTLEDGER_SMTP_URL is set."];
}

/** Checks the mail server without sending mail. */
export async function checkMail(configuration: Configuration): Promise<readonly ProviderFinding[]> {
  const mistakes = mailMistakes(configuration);
  if (mistakes.length > 0) return mistakes.map((mistake) => wrong(mistake));
  const mail = openMail(configuration);
  return mail === undefined ? [] : [await checkMailServer(mail)];
}
