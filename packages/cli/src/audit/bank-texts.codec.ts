import type { BankTexts } from "@hostledger/audit/verification";
import { Code, ConnectError } from "@connectrpc/connect";
import { z } from "zod";

import type { AuditClient } from "./audit-client.ts";
import { auditedEvents } from "./audited-events.ts";

const bookedEntry = z.looseObject({
  entryId: z.int(),
  iban: z.string(),
  endToEndId: z.string(),
  counterpartyIban: z.string(),
});
const queuedPayout = z.looseObject({ endToEndId: z.string(), iban: z.string() });

/**
 * Reads what the log has sealed about bank entries and payouts, as the instance opens it. Memory grows with bank entries.
 * @returns undefined if the caller may not read texts that the law keeps
 */
export async function readBankTexts(client: AuditClient): Promise<BankTexts | undefined> {
  const entries = new Map<string, { readonly endToEndId: string; readonly iban: string }>();
  const payouts = new Map<string, string>();
  const filter = { types: ["BankEntryBooked", "PayoutQueued"], withRetained: true };
  try {
    for await (const { type, data } of auditedEvents(client, filter)) {
      const content: unknown = JSON.parse(data);
      if (type.startsWith("PayoutQueued.")) {
        const payout = queuedPayout.safeParse(content);
        if (payout.success) payouts.set(payout.data.endToEndId, payout.data.iban);
        continue;
      }
      const entry = bookedEntry.safeParse(content);
      if (!entry.success) continue;
      const { iban, entryId, endToEndId, counterpartyIban } = entry.data;
      if (endToEndId !== "")
        entries.set(`${iban}/${String(entryId)}`, { endToEndId, iban: counterpartyIban });
    }
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.PermissionDenied) return undefined;
    throw error;
  }
  return { entries, payouts };
}
