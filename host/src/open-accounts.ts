import { join } from "node:path";

import {
  accountRecorder,
  createAccounts,
  createCommandHandler,
  createIssuingTerms,
  openSqliteSnapshots,
  type AccountCommands,
} from "@hostledger/store";
import { keyOfRetention, sealSnapshots } from "@hostledger/store/personal-data";
import { defined } from "@hostledger/runtime";

import type { HostContext } from "./host-context.ts";
import { documentSettingsOf } from "./seller.ts";
import type { ServiceContext } from "./service-context.ts";

/**
 * Opens the one command handler of this process for accounts, when the first of its services asks for it.
 * @param part names the file of snapshots, which is for one process alone.
 */
export function accountsOnDemand(
  hostContext: HostContext,
  context: ServiceContext,
  part: string,
): () => AccountCommands {
  let accounts: AccountCommands | undefined;
  return () => (accounts ??= openAccounts(hostContext, context, part));
}

function openAccounts(
  { configuration, logger, shutdown, tracing }: HostContext,
  { store, rawStore, subjectKeys, clock, ids, refusesWrites }: ServiceContext,
  part: string,
): AccountCommands {
  const { data, database } = configuration;
  const file = part === "account" ? "account-sealed.sqlite" : `account-sealed-${part}.sqlite`;
  // With read models in PostgreSQL several processes of one part may share the directory.
  const snapshots =
    database === "sqlite"
      ? sealSnapshots(openSqliteSnapshots({ path: join(data, "snapshots", file) }), subjectKeys)
      : undefined;
  if (snapshots !== undefined) shutdown.add("snapshots of accounts", () => snapshots.close());
  const onIgnored = (stream: string, error: unknown): void => {
    logger.warn({ stream, err: error }, "a snapshot was left out: its stream is folded whole");
  };
  const commands = createCommandHandler({
    store,
    recordedBy: accountRecorder,
    ...defined({ snapshots: snapshots && { snapshots, onIgnored }, tracing }),
  });
  const settings = documentSettingsOf(configuration);
  const issuingTerms = createIssuingTerms({ commands, clock, settings });
  return createAccounts({
    store,
    commands,
    clock,
    ids,
    refusesWrites,
    issuingTerms,
    obtainDocumentKey: (accountId, year) =>
      keyOfRetention({ accountId, year }, { store: rawStore, keys: subjectKeys }),
  });
}
