import { formatEuros } from "@hostledger/core";
import type { audit } from "@hostledger/protocol";
import {
  explanationText,
  type ExplanationOutcome,
  type StepKind,
  stepKinds,
} from "@hostledger/audit/reports";
import type { Command } from "commander";
import { parseText } from "../../arguments/value-parsers.ts";
import { answerFromAudit, reportUnreadable } from "../../audit/audit-command.ts";
import { eventOf } from "../../audit/audited-events.ts";
import type { CommandContext } from "../../command-context.ts";
import { jsonInteger } from "../../output/json.ts";
import type { Answer } from "../../output/reply.ts";

/** Adds `audit explain INVOICE`, which explains an invoice from the request to delivery or refund. */
export function addExplainCommand(audit: Command, context: CommandContext): void {
  audit
    .command("explain")
    .description("explain an invoice: its request, charge, order, provisioning, delivery or refund")
    .argument("<invoice>", "number of the invoice, for example 2026-7-000042, or its id", parseText)
    .action(async (invoice: string, _options: object, command: Command) => {
      await answerFromAudit(context, command, async (client) => {
        const explanation = await client.explainInvoice({ invoice });
        reportUnreadable(context.io, "explanation", explanation.unreadable);
        return explanationAnswer(explanation);
      });
    });
}

function explanationAnswer(answer: audit.ExplainInvoiceResponse): Answer {
  const { number, cause, grossCents, outcome } = answer;
  const steps = answer.steps.flatMap(({ kind, text, event, actor, requestId }) =>
    event === undefined ? [] : [{ kind: kindOf(kind), text, event: eventOf(event), actor, requestId }],
  );
  const invoiceId = jsonInteger(answer.invoiceId);
  const accountId = jsonInteger(answer.accountId);
  return {
    document: {
      number,
      invoice_id: invoiceId,
      account_id: accountId,
      cause,
      gross: formatEuros(grossCents),
      outcome,
      steps: steps.map(({ kind, text, event, actor, requestId }) => ({
        kind,
        text,
        time: event.time,
        actor,
        request_id: requestId ?? null,
        event: {
          index: jsonInteger(event.index),
          stream: event.stream,
          revision: jsonInteger(event.revision),
          id: event.id,
          type: event.type,
          data: event.data,
          metadata: event.metadata,
        },
      })),
    },
    text: explanationText({
      number,
      invoiceId,
      accountId,
      cause,
      grossCents,
      steps,
      outcome: outcomeOf(outcome),
    }),
  };
}

function kindOf(kind: string): StepKind {
  return stepKinds.find((known) => known === kind) ?? "other";
}

function outcomeOf(outcome: string): ExplanationOutcome {
  const outcomes: readonly ExplanationOutcome[] = ["delivered", "refunded", "credited", "open"];
  return outcomes.find((known) => known === outcome) ?? "open";
}
