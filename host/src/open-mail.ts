import { readFileSync } from "node:fs";

import { defined } from "@hostledger/runtime";
import type { MailSettings } from "@hostledger/support-service";

import type { Configuration } from "./configuration/index.ts";

/** Through which server customers are written to, where one is configured. @throws where the authority's file cannot be read */
export function openMail({ smtpUrl: url, smtpCa, mailFrom: from }: Configuration): MailSettings | undefined {
  if (url === undefined || from === undefined) return undefined;
  return { url, from, ...defined({ ca: smtpCa === undefined ? undefined : readFileSync(smtpCa, "utf8") }) };
}

/** What is lacking, a sentence for each setting. */
export function mailMistakes({ smtpUrl, mailFrom }: Configuration): readonly string[] {
  if (smtpUrl === undefined || mailFrom !== undefined) return [];
  return [
    "HOSTLEDGER_MAIL_FROM must say from which address customers are written to, since HOSTLEDGER_SMTP_URL is set.",
  ];
}
