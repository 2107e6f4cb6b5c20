import type { ServiceImpl } from "@connectrpc/connect";
import { accountOfDocument } from "@hostledger/core";
import type { RecordedEvent } from "@hostledger/store";
import type { audit } from "@hostledger/protocol";
import { explainInvoice, type Fact } from "@hostledger/audit/reports";
import { validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { AuditDependencies } from "../dependencies.ts";
import { auditedEvent } from "./audit.message.ts";
import { confirmedFacts } from "./confirmed-facts.ts";
import { missing, parseShort, reported } from "./fields.ts";
import { admitted } from "./use.ts";

const maximumInvoiceLength = 64;

/** `ExplainInvoice`: reads only the account's stream and the streams that its charge names. */
export function explain(
  dependencies: AuditDependencies,
): ServiceImpl<typeof audit.AuditService>["explainInvoice"] {
  const { log } = dependencies;
  return async (request, context) => {
    await admitted(dependencies, context, "ExplainInvoice", `invoice ${request.invoice}`);
    const { invoice } = validated({ invoice: parseShort(request.invoice, maximumInvoiceLength, false) });
    const accountId = await accountOf(dependencies, invoice);
    // The position of each event in the store, by which its leaf is found.
    const recorded = new WeakMap<Fact, RecordedEvent>();
    const readStream = async function* (stream: string): AsyncGenerator<Fact> {
      for await (const event of confirmedFacts(dependencies, stream)) {
        recorded.set(event, event);
        yield event;
      }
    };
    const explanation = reported(await explainInvoice({ invoice, accountId, readStream }));
    const { number, invoiceId, cause, grossCents, outcome } = explanation;
    const steps = [];
    for (const { kind, text, fact, actor, requestId } of explanation.steps) {
      const found = recorded.get(fact);
      if (found === undefined) throw new Error(`a step of ${invoice} shows a fact that was not read`);
      const event = auditedEvent(await log.indexOf(found), fact);
      steps.push({ kind, text, actor, event, ...defined({ requestId }) });
    }
    return {
      unreadable: [...explanation.unreadable],
      number,
      cause,
      grossCents,
      outcome,
      steps,
      invoiceId: BigInt(invoiceId),
      accountId: BigInt(accountId),
    };
  };
}

/** Returns the account of an invoice, from its number or by a look-up of its id. @throws ConnectError `not-found` */
async function accountOf({ queries }: AuditDependencies, invoice: string): Promise<number> {
  const named = accountOfDocument(invoice);
  if (named !== undefined) return named;
  const row = /^[1-9]\d{0,14}$/u.test(invoice) ? await queries.documentById(Number(invoice)) : undefined;
  if (row === undefined) throw missing(`There is no invoice ${invoice}.`);
  return row.account_id;
}
