import type { ServiceImpl } from "@connectrpc/connect";
import { accountOfDocument, hasAtMost, parsed, type Parsed, unparsable } from "@hostledger/core";
import type { audit } from "@hostledger/protocol";
import {
  balanceAsOf,
  explainInvoice,
  type Event,
  parseInstant,
  statementOf,
} from "@hostledger/audit/reports";
import { requestedPage, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";
import type { RecordedEvent } from "@hostledger/store";

import type { AuditDependencies } from "../dependencies.ts";
import { findAccounts } from "../reads/account-search.ts";
import { auditedAccountMessage, auditedEvent } from "./audit.message.ts";
import { confirmedEvents } from "./confirmed-events.ts";
import { missing, parseOptionalInstant, parseShort, reported, requestedAccount } from "./fields.ts";
import { proofHandlers } from "./proofs.ts";
import { readEvents } from "./read-events.ts";
import { admitted } from "./use.ts";
import { differencesOf, type Scrub } from "../scrub/scrub.ts";

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
  const eventsOf = (accountId: number) => confirmedEvents(dependencies, `account-${String(accountId)}`);
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
      const statement = reported(await statementOf(eventsOf(accountId), period));
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
      const balance = reported(await balanceAsOf(eventsOf(accountId), period));
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

/** `GetLogStatus`: the state of the log, and the progress of the comparison with the store. */
function logStatus(
  dependencies: AuditDependencies,
): Pick<ServiceImpl<typeof audit.AuditService>, "getLogStatus"> {
  const { log, scrub } = dependencies;
  const checkFile = oneAtATime(dependencies.checkFile);
  return {
    async getLogStatus(request, context) {
      await admitted(
        dependencies,
        context,
        "GetLogStatus",
        request.checkFile ? "the store's file" : "the log",
      );
      const { status, sentence = "" } = log.health();
      const isThere = log.lost === undefined;
      return {
        state: status,
        sentence,
        size: BigInt(isThere ? log.size : 0),
        signedSize: BigInt(isThere ? log.checkpoint().size : 0),
        mended: [...log.mended()],
        fileProblems: request.checkFile ? [...(await checkFile())] : [],
        ...(scrub === undefined ? {} : { scrub: scrubMessage(scrub) }),
      };
    },
  };
}

function scrubMessage(scrub: Scrub) {
  const { place, roundStartedAt, roundEndedAt, first = "", fileCheckedAt, fileProblems } = scrub.state();
  return {
    rate: BigInt(scrub.rate),
    compared: BigInt(place.index),
    differences: BigInt(differencesOf(scrub.state())),
    firstDifference: first,
    fileProblems: [...fileProblems],
    ...defined({ roundStartedAt, roundEndedAt, fileCheckedAt }),
  };
}

/** Lets concurrent callers share one check, because it reads every page of the file. */
function oneAtATime(check: AuditDependencies["checkFile"]): () => Promise<readonly string[]> {
  let running: Promise<readonly string[]> | undefined;
  return () => {
    if (check === undefined) return Promise.resolve([]);
    running ??= check().finally(() => {
      running = undefined;
    });
    return running;
  };
}

const maximumInvoiceLength = 64;

/** `ExplainInvoice`: reads only the account's stream and the streams that its charge names. */
function explain(dependencies: AuditDependencies): ServiceImpl<typeof audit.AuditService>["explainInvoice"] {
  const { log } = dependencies;
  return async (request, context) => {
    await admitted(dependencies, context, "ExplainInvoice", `invoice ${request.invoice}`);
    const { invoice } = validated({ invoice: parseShort(request.invoice, maximumInvoiceLength, false) });
    const accountId = await accountOf(dependencies, invoice);
    // The position of each event in the store, by which its leaf is found.
    const recorded = new WeakMap<Event, RecordedEvent>();
    const readStream = async function* (stream: string): AsyncGenerator<Event> {
      for await (const event of confirmedEvents(dependencies, stream)) {
        recorded.set(event, event);
        yield event;
      }
    };
    const explanation = reported(await explainInvoice({ invoice, accountId, readStream }));
    const { number, invoiceId, cause, grossCents, outcome } = explanation;
    const steps = [];
    for (const { kind, text, event: explained, actor, requestId } of explanation.steps) {
      const found = recorded.get(explained);
      if (found === undefined) throw new Error(`a step of ${invoice} shows an event that was not read`);
      const event = auditedEvent(await log.indexOf(found), explained);
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
