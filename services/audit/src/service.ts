import type { RequestListener } from "node:http";

import { codecOfCategory, staffTickets } from "@hostledger/core";
import {
  type CommandHandler,
  createCommandHandler,
  createIdSequence,
  type IdSequence,
  requestStaffTicket,
} from "@hostledger/store";
import { createProjector, openReadModels, type Projector } from "@hostledger/read";
import { admin, audit } from "@hostledger/protocol";
import { implement, type ServiceImplementation } from "@hostledger/rpc";
import { defined, type Ids, supervise } from "@hostledger/runtime";

import { type Auditors, createAuditors } from "./credentials/auditors.ts";
import type { AuditDependencies, AuditServiceOptions } from "./dependencies.ts";
import { auditHttp } from "./http/audit-http.ts";
import {
  auditedAccounts,
  auditedDocuments,
  auditedReferences,
  auditorCredentials,
} from "./reads/audit.projection.ts";
import { auditLogCodec } from "./reads/audit.subscription.ts";
import type { AuditSchema } from "./reads/audit.tables.ts";
import { auditQueries } from "./reads/audit.queries.ts";
import { type Scrub, startScrub } from "./scrub/scrub.ts";
import { auditRpc } from "./rpc/audit.rpc.ts";
import { documentProofRpc } from "./rpc/document-proof.rpc.ts";
import { auditorAdminRpc } from "./rpc/auditor-admin.rpc.ts";
import { createSignIn } from "./sign-in/sign-in.ts";

export interface AuditService {
  /** Routes for customers: proofs of their documents. */
  readonly routes: readonly ServiceImplementation[];
  /** Routes for the staff listener only: audits, and the administration of auditors. */
  readonly staffRoutes: readonly ServiceImplementation[];
  readonly projector: Projector;
  readonly commands: Pick<CommandHandler, "statistics">;
  /** Answers requests under `/audit` over HTTP/1.1: Connect for auditors, the log, the console. */
  readonly http: RequestListener;
  /** Progress of the comparison of store and log; undefined without a scrub. */
  readonly scrub: Pick<Scrub, "rate" | "state"> | undefined;
  /** Identifies auditors for routes outside of this service. */
  readonly auditors: Auditors;
  /** Ends running streams, then closes the read models. */
  close(): Promise<void>;
}

const credentialsInMemory = 256;

function credentialIdsOf(commands: CommandHandler, ids: Ids): IdSequence {
  return createIdSequence({ commands, name: "auditor", blockSize: 1, newCommandId: () => ids.uuid() });
}

/** Asks staff to rebuild a lost log; the service starts without it. */
async function requestTicketOfLoss(
  { clock, log, logger }: Pick<AuditServiceOptions, "clock" | "log" | "logger">,
  commands: CommandHandler,
): Promise<void> {
  const lost = staffTickets.auditLogLost(log.health().sentence ?? "The audit log is lost.", clock.now());
  try {
    await requestStaffTicket({ commands, clock }, lost, "audit-service");
  } catch (error) {
    logger.error({ error }, "staff could not be told that the audit log is lost");
  }
}

export async function startAuditService(options: AuditServiceOptions): Promise<AuditService> {
  const { store, rawStore, clock, ids, logger, readModels, log } = options;
  const traced = defined({ tracing: options.tracing });
  const database = await openReadModels<AuditSchema>({ location: readModels, service: "audit", logger });
  const projector = await createProjector({
    store: rawStore,
    database,
    codec: auditLogCodec,
    codecOf: options.codecOf ?? codecOfCategory,
    projections: [auditedAccounts, auditedDocuments, auditedReferences, auditorCredentials],
    timing: clock,
    logger,
    ...traced,
  });
  const projecting = supervise("audit projections", (signal) => projector.run(signal), { logger });
  const commands = createCommandHandler({
    store,
    recordedBy: "audit-service",
    cacheLimit: credentialsInMemory,
    ...traced,
  });
  const signIn = options.signIn && createSignIn({ ...options, ...options.signIn });
  const auditors = createAuditors({ commands, clock, ids, staff: options.staff, signIn });
  const scrub = options.scrub && (await startScrub(options.scrub, { log, commands, clock, logger }));
  if (log.lost !== undefined) await requestTicketOfLoss(options, commands);
  const dependencies: AuditDependencies = {
    ...options,
    commands,
    projector,
    auditors,
    scrub,
    queries: auditQueries(database),
    credentialIds: credentialIdsOf(commands, ids),
  };
  const audits = implement(audit.AuditService, auditRpc(dependencies));
  const stopping = new AbortController();
  return {
    routes: [implement(audit.DocumentProofService, documentProofRpc(dependencies))],
    staffRoutes: [audits, implement(admin.AuditorAdminService, auditorAdminRpc(dependencies))],
    projector,
    commands,
    http: auditHttp({
      auditors,
      services: [audits],
      logger,
      log: options.logRoutes?.(auditors),
      console: options.consoleRoutes,
      signIn,
      countFailure: options.countFailure,
      shutdownSignal: stopping.signal,
    }),
    auditors,
    scrub,
    async close() {
      stopping.abort();
      await scrub?.stop();
      await projecting.stop();
      await database.close();
    },
  };
}
