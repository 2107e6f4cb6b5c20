import type { ServiceImpl } from "@connectrpc/connect";
import { hasAtMost, parsed, unparsable, type Parsed } from "@hostledger/core";
import type { audit } from "@hostledger/protocol";
import { balanceAsOf, parseInstant, statementOf } from "@hostledger/audit/reports";
import { requestedPage, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { AuditDependencies } from "../dependencies.ts";
import { findAccounts } from "../reads/account-search.ts";
import { auditedAccountMessage } from "./audit.message.ts";
import { confirmedFacts } from "./confirmed-facts.ts";
import { explain } from "./explain-invoice.ts";
import { parseOptionalInstant, reported, requestedAccount } from "./fields.ts";
import { logStatus } from "./log-status.ts";
import { proofHandlers } from "./proofs.ts";
import { readEvents } from "./read-events.ts";
import { admitted } from "./use.ts";

type AuditHandlers = ServiceImpl<typeof audit.AuditService>;

/** The longest e-mail address. */
const maximumSearchLength = 254;

/** Handlers for auditors and staff. They only read; only the use of a credential is written. */
export function auditRpc(dependencies: AuditDependencies): AuditHandlers {
  return {
    readEvents: readEvents(dependencies),
    ...accountHandlers(dependencies),
    explainInvoice: explain(dependencies),
    ...proofHandlers(dependencies),
    ...logStatus(dependencies),
  };
}

/**
 * Returns the recorded form of a search, without personal text: a typed name or address would stay in the log after the
 * customer's erasure.
 */
function searchedFor(search: string): string {
  if (search === "") return search;
  return /^\d+$/.test(search) ? `account ${search}` : "accounts by a text";
}

function accountHandlers(
  dependencies: AuditDependencies,
): Pick<AuditHandlers, "listAuditedAccounts" | "getStatement" | "getBalanceAsOf"> {
  const { queries, subjectKeys, clock } = dependencies;
  const factsOf = (accountId: number) => confirmedFacts(dependencies, `account-${String(accountId)}`);
  return {
    async listAuditedAccounts(request, context) {
      await admitted(dependencies, context, "ListAuditedAccounts", searchedFor(request.search));
      const page = requestedPage(request.page);
      const { search } = validated({ search: parseSearch(request.search) });
      const rows = await findAccounts(queries, subjectKeys, search, page);
      return { accounts: rows.map(auditedAccountMessage) };
    },

    async getStatement(request, context) {
      await admitted(dependencies, context, "GetStatement", `account ${String(request.accountId)}`);
      const accountId = requestedAccount(request.accountId);
      const { from, asOf } = validated({
        from: parseOptionalInstant(request.fromTime, "first"),
        asOf: parseOptionalInstant(request.asOf, "last"),
      });
      const period = { accountId, from, asOf, now: clock.now() };
      const statement = reported(await statementOf(factsOf(accountId), period));
      const { movements, openingBalanceCents, closingBalanceCents, unreadable } = statement;
      return {
        accountId: BigInt(accountId),
        name: statement.name,
        ...defined({ fromTime: from }),
        asOf: statement.asOf,
        openingBalanceCents,
        closingBalanceCents,
        unreadable: [...unreadable],
        movements: movements.map(({ documentId, requestId, ...movement }) => ({
          ...movement,
          documentId: BigInt(documentId),
          ...defined({ requestId }),
        })),
      };
    },

    async getBalanceAsOf(request, context) {
      await admitted(dependencies, context, "GetBalanceAsOf", `account ${String(request.accountId)}`);
      const accountId = requestedAccount(request.accountId);
      const { asOf } = validated({ asOf: parseInstant(request.asOf, "last") });
      const period = { accountId, asOf, now: clock.now() };
      const balance = reported(await balanceAsOf(factsOf(accountId), period));
      const { balanceCents, revision, unreadable } = balance;
      return { accountId: BigInt(accountId), asOf, balanceCents, revision, unreadable: [...unreadable] };
    },
  };
}

function parseSearch(text: string): Parsed<string> {
  const search = text.trim();
  return hasAtMost(search, maximumSearchLength) && search.isWellFormed()
    ? parsed(search)
    : unparsable(`must be well-formed text of at most ${String(maximumSearchLength)} characters`);
}
