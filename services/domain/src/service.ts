import { createCommandHandler, createIdSequence } from "@hostledger/event-store";
import { createProjector, openReadModels, type Projector } from "@hostledger/projections";
import { admin, domain } from "@hostledger/protocol";
import { implement, type ServiceImplementation } from "@hostledger/rpc";
import { supervise } from "@hostledger/runtime";

import { accountClient } from "./account-client.ts";
import type { DomainDependencies, DomainServiceOptions } from "./dependencies.ts";
import { createRegistrationRuns } from "./processes/registration-runs.ts";
import { domainLogCodec, domainLogPrefixes } from "./projections/domain-log.ts";
import type { DomainSchema } from "./projections/domain.tables.ts";
import { domains } from "./projections/domains.projection.ts";
import { prices } from "./projections/prices.projection.ts";
import { processRuns } from "./projections/process-runs.projection.ts";
import { domainQueries } from "./queries/domain.queries.ts";
import { domainAdminRpc } from "./rpc/domain-admin.rpc.ts";
import { domainRpc } from "./rpc/domain.rpc.ts";

/** The domain service at work. */
export interface DomainService {
  /** For customers and services. */
  readonly routes: readonly ServiceImplementation[];
  /** For the staff listener only. */
  readonly staffRoutes: readonly ServiceImplementation[];
  readonly projector: Projector;
  close(): Promise<void>;
}

const recordedBy = "domain-service";
const idBlockSize = 1_000;

/** Puts the domain service together, starts its workers and takes over the runs that a dead owner left. */
export async function startDomainService(options: DomainServiceOptions): Promise<DomainService> {
  const { store, clock, ids, logger, readModels, registrar, dns, sandbox, settings } = options;
  const database = await openReadModels<DomainSchema>({ path: readModels, service: "domain" });
  const projector = await createProjector({
    store,
    database,
    codec: domainLogCodec,
    projections: [domains, prices, processRuns],
    streamPrefixes: domainLogPrefixes,
    logger,
  });
  const projecting = supervise("domain projections", (signal) => projector.run(signal), { logger });
  const commands = createCommandHandler({ store, recordedBy });
  const sequence = (name: string) =>
    createIdSequence({ commands, name, blockSize: idBlockSize, newCommandId: () => ids.uuid() });
  const queries = domainQueries(database);
  const accounts = accountClient(options.accounts, options.callers);
  const hands = { commands, clock, registrar, dns, accounts, settings, recordIds: sequence("dnsrecord") };
  const { activeRegistrations: activeLimit } = options;
  const runs = createRegistrationRuns({
    ...hands,
    store,
    ids,
    logger,
    queries,
    recordedBy,
    ...(activeLimit === undefined ? {} : { activeLimit }),
  });
  const adopting = supervise(
    "registration runs",
    async (signal) => {
      await projector.ready();
      await runs.adopt(signal);
    },
    { logger },
  );
  const domainIds = sequence("domain");
  const dependencies: DomainDependencies = {
    commands,
    clock,
    ids,
    projector,
    queries,
    registrar,
    sandbox,
    accounts,
    runs,
    domainIds,
  };
  return {
    routes: [implement(domain.DomainService, domainRpc(dependencies))],
    staffRoutes: [implement(admin.DomainAdminService, domainAdminRpc(dependencies))],
    projector,
    async close() {
      await adopting.stop();
      await runs.stop();
      await projecting.stop();
      await database.close();
    },
  };
}
