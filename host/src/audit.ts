import { join } from "node:path";

import {
  type AuditLog,
  type AuditService,
  createConsole,
  type IdentityProvider,
  logRoutes,
  openAuditLog,
  openIdProvider,
  scrubFile,
  startAuditService,
} from "@hostledger/audit-service";
import { checkStoreFile } from "@hostledger/store";
import { ConfigurationError, defined } from "@hostledger/runtime";

import { dataFiles } from "./data-files.ts";
import type { HostContext } from "./host-context.ts";
import { failureCounterOf } from "./listeners.ts";
import type { ServiceContext } from "./service-context.ts";
import type { Configuration } from "./configuration/index.ts";

/** The audit of a process at work. */
export interface Audit extends AuditService {
  /** Returns the state of the stored log in one word, for `/readyz`. */
  readonly state: () => string;
  /** The kept log, for the metrics. */
  readonly log: Pick<AuditLog, "health" | "size" | "checkpoint" | "behind">;
}

/**
 * Opens the data directory's audit log and the services for auditors. The log hashes the stored bytes, in which
 * personal data is sealed.
 * @throws Error with a sentence for the operator if the log of the directory cannot be continued.
 */
export async function startAudit(
  { configuration, logger, shutdown }: HostContext,
  context: ServiceContext,
): Promise<Audit> {
  const { clock, ids, store, rawStore, subjectKeys } = context;
  const { data, auditOrigin: origin } = configuration;
  const isFile = configuration.eventStore === "embedded";
  const storePath = join(data, dataFiles.events);
  const provider = identityProviderOf(configuration);
  const log = await openAuditLog({
    store: rawStore,
    dataDirectory: data,
    clock,
    logger,
    ...defined({ origin }),
  });
  shutdown.add("audit log", () => log.close());
  const service = await startAuditService({
    store,
    rawStore,
    subjectKeys,
    clock,
    ids,
    logger,
    log,
    readModels: context.readModels("audit"),
    scrub: {
      rate: configuration.scrubRate,
      memory: scrubFile(data),
      checkFile: isFile ? () => checkStoreFile(storePath, "quick") : undefined,
    },
    ...(isFile ? { checkFile: () => checkStoreFile(storePath, "whole") } : {}),
    ...defined({ tracing: context.tracing }),
    staff: (authorization) => context.staff.identify(authorization),
    ...defined({
      signIn: provider && { provider, findMember: (name: string) => context.staff.named(name) },
    }),
    logRoutes: (auditors) => logRoutes({ log, auditors, logger }),
    consoleRoutes: createConsole(),
    ...defined({ countFailure: failureCounterOf(configuration) }),
  });
  shutdown.add("audit service", () => service.close());
  return { ...service, log, state: () => log.health().status };
}

/**
 * Returns the identity provider for sign-ins to the console. Does not call the provider, because a provider that is
 * down must not stop a start.
 * @returns undefined if none is configured
 * @throws ConfigurationError with a sentence for each missing setting.
 */
function identityProviderOf(configuration: Configuration): IdentityProvider | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcRedirectUri, oidcClaim: claim } = configuration;
  if (oidcIssuer !== undefined && oidcClientId !== undefined && oidcRedirectUri !== undefined)
    return openIdProvider({
      issuer: new URL(oidcIssuer),
      clientId: oidcClientId,
      redirectUri: new URL(oidcRedirectUri),
      claim,
      ...defined({ clientSecret: oidcClientSecret }),
    });
  const needed = {
    HOSTLEDGER_OIDC_ISSUER: oidcIssuer,
    HOSTLEDGER_OIDC_CLIENT_ID: oidcClientId,
    HOSTLEDGER_OIDC_REDIRECT_URI: oidcRedirectUri,
  };
  if ([...Object.values(needed), oidcClientSecret].every((value) => value === undefined)) return undefined;
  throw new ConfigurationError(
    Object.entries(needed)
      .filter(([, value]) => value === undefined)
      .map(([name]) => `${name} must be set, too: staff sign in to the console with it.`),
  );
}
