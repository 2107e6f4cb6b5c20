import { codecOfExcerpts } from "@hostledger/core/testing";
import { join } from "node:path";

import { createClient, type Client } from "@connectrpc/connect";
import type { EventStore } from "@hostledger/store";
import { openTestStore } from "@hostledger/store/testing";
import { openSqliteSubjectKeys, sealPersonalData } from "@hostledger/store/personal-data";
import type { ReadModelLocation } from "@hostledger/read";
import { testLocation } from "@hostledger/read/testing";
import { admin, support } from "@hostledger/protocol";
import { type Caller } from "@hostledger/rpc";
import { specCallers } from "@hostledger/rpc/testing";
import { type ManualClock, manualClock, randomIds, realTiming, silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { onTestFinished } from "vitest";

import { supportSubscriptionCodec, type SupportSubscriptionEvent } from "./reads/support.subscription.ts";
import type { SupportServiceOptions } from "./dependencies.ts";
import { startSupportService, type SupportService } from "./service.ts";

export type SupportClient = Client<typeof support.SupportService>;
export type SupportAdminClient = Client<typeof admin.SupportAdminService>;

/** One process with the support service. */
export interface SupportInstance {
  readonly service: SupportService;
  /** A customer, under an operation id of its own or a given one. Undefined: without a token. */
  as(accountId: number | undefined, operationId?: string): SupportClient;
  staff(caller?: Caller): SupportAdminClient;
}

/** Options of an instance. Default: its own read models. */
export type InstanceOptions = Pick<
  Partial<SupportServiceOptions>,
  "readModels" | "webhookAllow" | "resolve" | "mail" | "leases"
>;

/** The store and the time that instances share. */
export interface Harness {
  readonly store: EventStore;
  readonly clock: ManualClock;
  /** Records an event of another context, or of a process run, with personal data sealed. */
  record(stream: string, ...events: readonly SupportSubscriptionEvent[]): Promise<void>;
  /** A place for read models that several instances use, one after the other. */
  newReadModels(): Promise<ReadModelLocation>;
  /** Starts an instance; it is closed after the test, if not before. */
  start(decorate?: (store: EventStore) => EventStore, options?: InstanceOptions): Promise<SupportInstance>;
  /** Stored types of a stream. */
  typesOf(stream: string): Promise<readonly string[]>;
}

/** Opens a world that ends with the test. */
export async function openHarness(): Promise<Harness> {
  const directory = directoryOfTest();
  const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  const store = await openTestStore(join(directory, "events.sqlite"), { now: () => clock.now() });
  const subjectKeys = openSqliteSubjectKeys({ path: join(directory, "subject-keys.sqlite") });
  const sealing = sealPersonalData(store, subjectKeys);
  const running: SupportService[] = [];
  onTestFinished(async () => {
    for (const service of running) await service.close();
    await store.close();
    await subjectKeys.close();
  });
  let instances = 0;
  const typesOf = async (stream: string): Promise<string[]> => {
    const types: string[] = [];
    for await (const { type } of store.read(stream)) types.push(type);
    return types;
  };
  return {
    store,
    clock,
    typesOf,
    async record(stream, ...events) {
      const { length } = await typesOf(stream);
      await sealing.append(
        stream,
        length === 0 ? "no-stream" : BigInt(length - 1),
        events.map(({ type, data }) => ({
          id: randomIds.uuid(),
          type: supportSubscriptionCodec.storedType(type),
          data: JSON.stringify(data),
          metadata: JSON.stringify({
            correlationId: "spec",
            causationId: "spec",
            commandId: "spec",
            actor: "spec",
            recordedBy: "spec",
          }),
        })),
      );
    },
    newReadModels: () => testLocation(join(directory, "support-shared.sqlite")),
    async start(decorate = (same) => same, { readModels, ...options } = {}) {
      instances += 1;
      const service = await startSupportService({
        store: sealPersonalData(decorate(store), subjectKeys, "secrets-too"),
        codecOf: codecOfExcerpts,
        rawStore: decorate(store),
        subjectKeys,
        clock,
        ids: randomIds,
        logger: silentLogger(),
        readModels:
          readModels ?? (await testLocation(join(directory, `support-${String(instances)}.sqlite`))),
        ...options,
      });
      running.push(service);
      await service.projector.ready();
      return instanceOf(service);
    },
  };
}

function instanceOf(service: SupportService): SupportInstance {
  const callers = specCallers();
  const transportAs = (caller: Caller | undefined, operationId?: string) =>
    callers.transportTo(service, caller, operationId);
  return {
    service,
    as(accountId, operationId) {
      const caller =
        accountId === undefined ? undefined : ({ kind: "account", accountId, keyId: 1 } as const);
      return createClient(support.SupportService, transportAs(caller, operationId));
    },
    staff: (caller = { kind: "staff", name: "ada" }) =>
      createClient(admin.SupportAdminService, transportAs(caller)),
  };
}

/** The port alone, for a spec to put something in the place of a method. */
export function portOf(store: EventStore): EventStore {
  return {
    append: (stream, expected, events) => store.append(stream, expected, events),
    read: (stream, options) => store.read(stream, options),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

const at = "2026-03-01T10:00:00.000000Z";

/** An account was opened. */
export function accountOpened(accountId: number, name: string): SupportSubscriptionEvent {
  return { type: "AccountOpened", data: { accountId, name, vatExempt: false, openedAt: at } };
}

/** The profile of an account says from now on where it is written to. */
export function profileChanged(
  accountId: number,
  version: number,
  email: string,
  country = "FR",
): SupportSubscriptionEvent {
  const rest = {
    name: "",
    organisation: "",
    street: "",
    city: "",
    postalCode: "",
    phone: "",
    vatId: "",
    leitwegId: "",
  };
  const data = { accountId, version, email, country, kind: null, changedAt: at };
  return { type: "ProfileChanged", data: { ...rest, ...data } };
}

/** A server was ordered by an account. */
export function serverOrdered(serverId: number, accountId: number): SupportSubscriptionEvent {
  return {
    type: "ServerOrdered",
    data: {
      orderId: `serverorder-${String(serverId)}`,
      serverId,
      accountId,
      planId: 1,
      planTitle: "Small",
      regionId: 1,
      distroId: 1,
      distro: "Debian 13",
      months: 1,
      whitelisted: false,
      sshKey: null,
      monthGrossCents: "999",
      orderedAt: at,
    },
  };
}

/** A zone was not created. */
export function zoneFailed(domainId: number, accountId: number): SupportSubscriptionEvent {
  const name = `zone-${String(domainId)}.com`;
  return {
    type: "ZoneCreationFailed",
    data: { domainId, accountId, name, reason: "a secret of ours", failedAt: at },
  };
}

/** A zone was created. */
export function zoneCreated(domainId: number): SupportSubscriptionEvent {
  return { type: "ZoneCreated", data: { domainId, records: [], createdAt: at } };
}

/** A renewal failed, by default for want of balance. */
export function renewalFailed(
  domainId: number,
  change: Partial<Extract<SupportSubscriptionEvent, { type: "DomainRenewalFailed" }>["data"]> = {},
): SupportSubscriptionEvent {
  return {
    type: "DomainRenewalFailed",
    data: {
      renewalId: "renewal-1",
      domainId,
      accountId: 7,
      name: "unpaid.com",
      automatic: true,
      reason: "insufficient-balance",
      expiresAt: "2026-03-08T10:00:00.000000Z",
      requiredCents: "1428",
      failedAt: at,
      ...change,
    },
  };
}
