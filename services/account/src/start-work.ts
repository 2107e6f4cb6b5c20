import { onceReady, type Projector, type ReadModelDatabase } from "@hostledger/read";
import { openWorkEngine, type AnyWorkKind, type WorkEngine } from "@hostledger/work";
import { supervise } from "@hostledger/runtime";

import type { AccountDependencies, AccountServiceOptions } from "./dependencies.ts";
import { archiveWork } from "./documents/archive.work.ts";
import type { DocumentFiles } from "./documents/document-files.port.ts";
import { createDocumentFiles } from "./documents/document-files.ts";
import { documentScrubWork } from "./documents/document-scrub.work.ts";
import { createIssuedDocumentFinder } from "./documents/issued-document.ts";
import { renderFiles } from "./documents/render-document.ts";
import { autoTopUpWork, type AutoTopUpOptions } from "./effects/auto-top-up.effects.ts";
import { methodRemovalWork } from "./effects/stored-method.effects.ts";
import { paymentWork } from "./effects/payment.effects.ts";
import type { PaymentWorkOptions } from "./effects/payment-work.ts";
import { bankCreditWork } from "./effects/bank-credit.effects.ts";
import { debtWork } from "./effects/debt.effects.ts";
import { paymentComparisonWork, type PaymentComparisonOptions } from "./effects/payment-comparison.ts";
import { transferWork } from "./effects/transfer.effects.ts";
import { payoutWork } from "./effects/payout.effects.ts";
import { vatIdWork } from "./effects/vat-id.effects.ts";
import type { AccountQueries } from "./reads/account.queries.ts";
import type { AccountSchema } from "./reads/account.tables.ts";

/** The service's own read models, and its ids. */
interface Reading extends Pick<AccountDependencies, "paymentIds" | "methodIds" | "installation"> {
  readonly projector: Projector;
  readonly queries: AccountQueries;
  readonly database: ReadModelDatabase<AccountSchema>;
}

interface Work {
  readonly documents: DocumentFiles;
  readonly engine: WorkEngine;
  readonly stopWork: () => Promise<void>;
}

/**
 * Begins the work without requests after the read models are open: archiving, payments, reminders, and checks of VAT
 * ids.
 */
export async function startWork(
  options: AccountServiceOptions,
  { projector, queries, database, ...sequences }: Reading,
): Promise<Work> {
  const { accounts, archive, clock, ids, logger, payments, rawStore, seller, store, subjectKeys, vatIds } =
    options;
  const { refusesWrites = () => false, isTimeTrusted = () => true } = options;
  const { debtReminderDays: reminderDays = [] } = options;
  const documents = createDocumentFiles({
    archive,
    keySource: { store: rawStore, keys: subjectKeys },
    commands: accounts.commands,
    clock,
    logger,
    refusesWrites,
    find: createIssuedDocumentFinder({ accounts, projector, queries, seller, store, subjectKeys }),
    render: renderFiles,
  });
  const comparisons = comparisonKinds(options, { queries, ...sequences, engine: () => engine });
  const engine: WorkEngine = await openWorkEngine({
    database,
    kinds: [
      archiveWork(documents),
      documentScrubWork({ files: documents, queries, logger }),
      ...paymentKinds({
        ...sequences,
        accounts,
        provider: payments?.provider,
        formerProvider: payments?.formerProvider,
        queries,
        clock,
        refusesWrites,
        isTimeTrusted,
      }),
      ...comparisons,
      transferWork({ accounts, clock, refusesWrites }),
      payoutWork({ accounts, commands: accounts.commands, clock, refusesWrites }),
      bankCreditWork({ accounts, commands: accounts.commands, queries, clock, ids, refusesWrites }),
      debtWork({ accounts, reminderDays, clock, ids, refusesWrites }),
      ...(vatIds === undefined ? [] : [vatIdWork({ ...vatIds, accounts, clock, ids, logger })]),
    ],
    clock,
    logger,
    lease: "lifecycle-account",
    leases: options.leases,
    isTimeTrusted: options.isTimeTrusted,
    intervalMs: options.workIntervalMs,
  });
  const run = onceReady(projector, (signal) => engine.run(signal));
  const working = supervise("account work", run, { logger });
  return {
    documents,
    engine,
    async stopWork() {
      const resting = working.stop();
      await engine.stop();
      await resting;
    },
  };
}

/** The work that calls payment providers. Payments wait here while theirs is not configured. */
function paymentKinds(options: PaymentWorkOptions & AutoTopUpOptions): readonly AnyWorkKind[] {
  return [paymentWork(options), methodRemovalWork(options), autoTopUpWork(options)];
}

/** The comparison of payments with their providers. */
function comparisonKinds(
  {
    accounts,
    clock,
    comparisonHours: everyHours = 0,
    logger,
    payments,
    refusesWrites = () => false,
  }: AccountServiceOptions,
  parts: Pick<PaymentComparisonOptions, "engine" | "installation" | "methodIds" | "queries">,
): readonly AnyWorkKind[] {
  const providers = [payments?.provider, payments?.formerProvider].filter((one) => one !== undefined);
  if (everyHours === 0 || providers.length === 0) return [];
  return [paymentComparisonWork({ ...parts, accounts, clock, everyHours, logger, providers, refusesWrites })];
}
