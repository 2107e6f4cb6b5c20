import {
  domainCodec,
  domainRenewal,
  registration,
  registrationCodec,
  renewalRunCodec,
  transferIn,
  transferRunCodec,
  type DomainNameEvent,
  type PaidOrderAnswer,
  type Registration,
  type RegistrarRegistration,
  type Renewal,
  type RenewedUntil,
  type Transfer,
} from "@hostledger/core";
import { decodeEvent, type CommandHandler, type EventStore } from "@hostledger/event-store";
import type { Leases } from "@hostledger/leases";
import {
  createPaidOrders,
  type AnsweredOrder,
  type PaidOrders,
  type RunContext,
} from "@hostledger/process-manager";
import type { Registrar } from "@hostledger/providers";
import type { AccountClient } from "@hostledger/rpc";
import type { Clock, Ids, Logger } from "@hostledger/runtime";

import { domainAggregate } from "../aggregates.ts";
import type { DomainQueries } from "../reads/domain.queries.ts";
import type { DomainSettings } from "../settings.ts";
import { registrationEffects, renewalEffects, transferEffects } from "./registrar-effects.ts";

/** What the runs of registrations and renewals are made of. */
export interface DomainRunsOptions {
  readonly store: EventStore;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly registrar: Registrar;
  readonly accounts: AccountClient;
  readonly queries: Pick<DomainQueries, "runsToDrive">;
  readonly settings: Pick<DomainSettings, "serviceNameservers">;
  readonly recordedBy: string;
  /** How long a registrar that says "I hold nothing" after silence is given before that counts, in milliseconds. */
  readonly quietMs: number;
  /** Says which of several processes drives a run. Left out where there is one. */
  readonly leases?: Leases;
  /** Runs under way at a time. Default: the process manager's own limit. */
  readonly activeLimit?: number;
}

/** The registrations that are under way here. */
export type Registrations = PaidOrders<Registration, RegistrarRegistration>;

/** The runs of renewals that are under way here. */
export type RenewalRuns = PaidOrders<Renewal, RenewedUntil>;

/** The transfers to us that are under way here. */
export type TransferRuns = PaidOrders<Transfer, RegistrarRegistration>;

/** What a registration answered. */
export type AnsweredRegistration = AnsweredOrder<Registration, RegistrarRegistration>;

/** What a transfer to us answered. */
export type AnsweredTransfer = AnsweredOrder<Transfer, RegistrarRegistration>;

/** What a renewal answers. */
export type RenewalAnswer = PaidOrderAnswer<RenewedUntil>;

/** Creates the runs of registrations. A reservation of a name begins one. */
export function createRegistrations(options: DomainRunsOptions): Registrations {
  const { store, registrar, settings, queries, ids } = options;
  return createPaidOrders({
    ...options,
    paidOrder: registration,
    codec: registrationCodec,
    owner: ids.uuid(),
    effects: {
      ...options,
      aggregates: { domain: domainAggregate },
      provider: registrationEffects(registrar, settings.serviceNameservers),
    },
    unfinished: (after, limit) => queries.runsToDrive("registration", after, limit),
    beginning: ({ run, subject: name }) =>
      begunBy(store, name, (event) => {
        if (event.type !== "RegistrationReserved" || event.data.registrationId !== run) return undefined;
        return registrationOf(event.data);
      }),
  });
}

/** Creates the runs of transfers to us. A reservation of a name for one begins it. */
export function createTransferRuns(options: DomainRunsOptions): TransferRuns {
  const { store, registrar, queries, ids } = options;
  return createPaidOrders({
    ...options,
    paidOrder: transferIn,
    codec: transferRunCodec,
    owner: ids.uuid(),
    effects: { ...options, aggregates: { domain: domainAggregate }, provider: transferEffects(registrar) },
    unfinished: (after, limit) => queries.runsToDrive("transfer", after, limit),
    beginning: ({ run, subject: name }) =>
      begunBy(store, name, (event) => {
        if (event.type !== "TransferReserved" || event.data.transferId !== run) return undefined;
        const { reservedAt: startedAt, ...transfer } = event.data;
        return { ...transfer, startedAt };
      }),
  });
}

/** Creates the runs of renewals. A renewal's start on the name's stream begins one. */
export function createRenewalRuns(options: DomainRunsOptions): RenewalRuns {
  const { store, registrar, queries, ids } = options;
  return createPaidOrders({
    ...options,
    paidOrder: domainRenewal,
    codec: renewalRunCodec,
    owner: ids.uuid(),
    effects: {
      ...options,
      aggregates: { domain: domainAggregate },
      provider: renewalEffects(registrar),
    },
    unfinished: (after, limit) => queries.runsToDrive("renewal", after, limit),
    beginning: ({ run, subject: name }) =>
      begunBy(store, name, (event) =>
        event.type === "DomainRenewalStarted" && event.data.renewalId === run ? event.data : undefined,
      ),
  });
}

/** The registration that a reservation begins. */
export function registrationOf({
  reservedAt: startedAt,
  ...reserved
}: Extract<DomainNameEvent, { type: "RegistrationReserved" }>["data"]): Registration {
  return { ...reserved, startedAt };
}

/** The fact on the name's stream that began a run, with the request it was for. */
async function begunBy<Subject>(
  store: EventStore,
  name: string,
  subjectOf: (event: DomainNameEvent) => Subject | undefined,
): Promise<{ subject: Subject; context: RunContext } | undefined> {
  for await (const recorded of store.read(`domain-${name}`)) {
    const { event, metadata } = decodeEvent(domainCodec, recorded);
    const subject = subjectOf(event);
    if (subject !== undefined) return { subject, context: metadata };
  }
  return undefined;
}
