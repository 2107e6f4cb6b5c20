import {
  accountAggregate,
  nextOfVatId,
  type IssuingTerms,
  type VatIdEffect,
  type WorkedVatId,
} from "@hostledger/core";
import type { VatIdChecks } from "@hostledger/providers";
import type { Clock, Ids, Logger } from "@hostledger/runtime";
import type { AccountCommands } from "@hostledger/store";
import { endOf, requestDailyWorkTicket, workKind, type AnyWorkKind } from "@hostledger/work";

import { retry } from "./pauses.ts";
import { ticketOptions } from "./ticket-options.ts";

export interface VatIdWorkOptions {
  readonly accounts: AccountCommands;
  readonly checks: VatIdChecks;
  /** Reads the seller. */
  readonly issuingTerms: () => Promise<Pick<IssuingTerms, "seller">>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** Pause where the limits of questions are used up, in milliseconds. */
const postponedMs = 600_000;

/** Returns the work on VAT ids, which asks the register about them (ADR 0186). Its keys are account ids. */
export function vatIdWork({
  accounts,
  checks,
  issuingTerms,
  clock,
  ids,
  logger,
}: VatIdWorkOptions): AnyWorkKind {
  return workKind<WorkedVatId, VatIdEffect>({
    name: "vat-id",
    async load(accountId) {
      const { state } = await accounts.commands.load(accountAggregate, accountId);
      return { account: state, seller: (await issuingTerms()).seller };
    },
    next: nextOfVatId,
    effects: {
      ask: {
        retry,
        async carryOut({ vatId, name }, { account }) {
          if (account.status !== "open") throw new Error("an account that is not open has no VAT id");
          const { accountId } = account;
          const askedBy = (await issuingTerms()).seller.vatId;
          const checked = await checks.check({ accountId, vatId, name, askedBy });
          if (checked.outcome === "postponed")
            return { outcome: "done", step: "postponed", againAfterMs: postponedMs };
          const { outcome } = checked;
          if (outcome === "unanswered")
            logger.warn(
              { accountId, reason: checked.because },
              "no answer about a VAT id; asked again later",
            );
          const answer =
            outcome === "unanswered"
              ? { consultationNumber: "", at: clock.now() }
              : { consultationNumber: checked.consultationNumber, at: checked.answeredAt };
          const correlationId = `vat-id/${ids.uuid()}`;
          const executed = await accounts.execute(
            accountId,
            { type: "RecordVatIdCheck", data: { vatId, outcome, ...answer } },
            { commandId: correlationId, correlationId, actor: "process:vat-id" },
          );
          return endOf(executed, outcome);
        },
      },
    },
    tellOfFailures: (accountId, reason) =>
      requestDailyWorkTicket(
        ticketOptions({ accounts, clock }),
        { work: "vat-ids", about: `the VAT id of account ${accountId}` },
        reason,
      ),
  });
}
