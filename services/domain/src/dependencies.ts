import type { Client } from "@connectrpc/connect";
import type { CommandHandler, EventStore, IdSequence } from "@hostledger/event-store";
import type { Projector } from "@hostledger/projections";
import type { account } from "@hostledger/protocol";
import type { Dns, Registrar, Sandbox } from "@hostledger/providers";
import type { CallerTokens } from "@hostledger/rpc";
import type { Clock, Ids, Logger } from "@hostledger/runtime";

import type { RegistrationRuns } from "./processes/registration-runs.ts";
import type { DomainQueries } from "./queries/domain.queries.ts";

/** Settings of the domain service. */
export interface DomainSettings {
  /** Host names that new domains are delegated to. */
  readonly serviceNameservers: readonly string[];
  /** IPv4 address of a new zone's records. */
  readonly parkingAddress: string;
}

/** What the domain service needs from its process. */
export interface DomainServiceOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** File of the service's read models. */
  readonly readModels: string;
  readonly registrar: Registrar;
  readonly dns: Dns;
  /** The simulated parties, where they are simulated. */
  readonly sandbox: Sandbox | undefined;
  readonly accounts: Client<typeof account.AccountService>;
  readonly callers: CallerTokens;
  readonly settings: DomainSettings;
}

/** What the service's handlers work with. */
export interface DomainDependencies {
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly projector: Projector;
  readonly queries: DomainQueries;
  readonly registrar: Registrar;
  readonly sandbox: Sandbox | undefined;
  readonly accounts: AccountClient;
  readonly runs: RegistrationRuns;
  readonly domainIds: IdSequence;
}

/** The account service, called under this service's own name. */
export interface AccountClient {
  readonly rpc: Client<typeof account.AccountService>;
  /** Headers and time limit of a call on behalf of a request. */
  callOptions(request: { readonly correlationId: string; readonly requestId?: string }): {
    readonly headers: Headers;
    readonly timeoutMs: number;
  };
}
