import { join } from "node:path";

import { placeholderSeller } from "@hostledger/audit/documents";
import { createRequestCommands, startAccountService } from "@hostledger/account-service";
import { startDomainService } from "@hostledger/domain-service";
import {
  accountRecorder,
  createAccounts,
  createCommandHandler,
  openEmbeddedEventStore,
} from "@hostledger/store";
import { openFileDocuments } from "@hostledger/store/documents";
import { openSqliteSubjectKeys } from "@hostledger/store/personal-data";
import type { ReadModelLocation } from "@hostledger/read";
import { openSandbox } from "@hostledger/providers";
import { randomIds, silentLogger, systemClock } from "@hostledger/runtime";
import { z } from "zod";

import { serveParent } from "../harness/child.ts";
import { describeShares, profiled } from "../harness/profile.ts";
import { storeEdge } from "../peers/accounts.ts";
import { watchResidentMemory } from "./peak-memory.ts";
import type { Pass } from "./replay.ts";

/**
 * The account service and the domain service over a store, as the standalone process starts them; asked, they rebuild
 * all their read models as `hostledger projections rebuild` does. `rebuild.child.ts STORE DIRECTORY [POSTGRESQL]`.
 */
const [path = "", directory = ".", url] = process.argv.slice(2);
const readModels = (service: string): ReadModelLocation =>
  url === undefined
    ? { kind: "sqlite", path: join(directory, `${service}.sqlite`) }
    : { kind: "postgres", url };
const peak = watchResidentMemory();
const clock = systemClock(0);
const logger = silentLogger();
const store = await openEmbeddedEventStore({ path, ...storeEdge });
const common = { store, clock, ids: randomIds, logger };
const paying = createAccounts({
  ...common,
  commands: createCommandHandler({ store, recordedBy: accountRecorder }),
});
const accounts = await startAccountService({
  ...common,
  accounts: paying,
  rawStore: common.store,
  readModels: readModels("account"),
  subjectKeys: openSqliteSubjectKeys({ path: join(directory, "subject-keys.sqlite") }),
  requests: createRequestCommands({ store, recordedBy: "bench" }),
  isAlive: () => false,
  archive: await openFileDocuments(join(directory, "documents")),
  seller: placeholderSeller,
  isTimeTrusted: () => false,
});
const sandbox = openSandbox({ path: join(directory, "sandbox.sqlite"), clock, latencyMs: 0, limboMs: 0 });
const domains = await startDomainService({
  ...common,
  rawStore: common.store,
  readModels: readModels("domain"),
  registrar: sandbox.registrar,
  dns: sandbox.dns,
  sandbox,
  accounts: paying,
  settings: {
    serviceNameservers: ["ns1.example.com", "ns2.example.com"],
    parkingAddress: "192.0.2.10",
    fallbackRenewalPriceCents: 1_999n,
    suspendedBy: "registrar",
  },
});
await Promise.all([accounts.projector.ready(), domains.projector.ready()]);

const questionSchema = z.object({ profile: z.boolean() });

serveParent(
  async (question) => {
    const { profile } = questionSchema.parse(question);
    return profile ? describeShares(await profiled(rebuild)) : rebuild();
  },
  async () => {
    await domains.close();
    await accounts.close();
    await store.close();
    sandbox.close();
  },
);

/** Both services' read models, one after the other, as the staff command rebuilds them. */
async function rebuild(): Promise<Pass> {
  const startMs = performance.now();
  for (const { projector } of [accounts, domains]) {
    for (const report of await projector.rebuild()) {
      if (report.equal !== true)
        throw new Error(`the rebuilt ${report.name} differs: ${report.failure ?? "no reason"}`);
    }
  }
  const seconds = (performance.now() - startMs) / 1_000;
  return { seconds, events: Number(await store.lastPosition()), peakBytes: peak() };
}
