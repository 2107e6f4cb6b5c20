import { rmSync } from "node:fs";
import { join } from "node:path";
import type { OfflineBy } from "@hostledger/core";
import { createClient, type Client } from "@connectrpc/connect";
import type { EventStore } from "@hostledger/store";
import { AccountsFixture, openTestStore } from "@hostledger/store/testing";
import { failedAttempt } from "@hostledger/work";
import type { ReadModelLocation } from "@hostledger/read";
import { testLocation } from "@hostledger/read/testing";
import { admin, domain } from "@hostledger/protocol";
import { openSandbox, withLimits, type Dns, type Registrar, type Sandbox } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { callHeaders, type Caller } from "@hostledger/rpc";
import { specCallers } from "@hostledger/rpc/testing";
import { defined, type Clock, randomIds, silentLogger, systemClock, type Timing } from "@hostledger/runtime";
import { type VirtualClock, temporaryDirectory } from "@hostledger/runtime/testing";
import { onTestFinished, vi } from "vitest";

import type { MessageRound } from "./effects/registry-messages.ts";
import type { RegistrarRound } from "./effects/registrar-rounds.ts";
import { startDomainService } from "./service.ts";

export type DomainClient = Client<typeof domain.DomainService>;
export type DomainAdminClient = Client<typeof admin.DomainAdminService>;

/** The domain service on a real store and the real sandbox, with in-memory accounts and clients for each caller. */
export interface DomainServiceFixture {
  readonly store: EventStore;
  readonly sandbox: Sandbox;
  readonly accounts: AccountsFixture;
  /** Undefined: without a token. */
  domains(caller: Caller | undefined): DomainClient;
  /** A customer with this balance, and its client. */
  customer(balanceCents?: bigint): { readonly accountId: number; readonly domains: DomainClient };
  staff(caller?: Caller): DomainAdminClient;
  /** The read models that stand still. */
  parked(): readonly string[];
  /** Does all due work, by read models that include every stored event. @returns number of steps taken */
  runDueWork(): Promise<DueWork>;
  /** Asks the registrar about every domain, by read models that show everything stored so far. */
  runRegistrarRound(): Promise<RegistrarRound>;
  /** Reads the registry's poll messages. */
  runMessageRound(): Promise<MessageRound>;
  /** Waits until the read models show everything. */
  caughtUp(): Promise<void>;
  /** Waits until the read models show everything, and no run is under way. */
  settled(): Promise<void>;
  /** Ends the service and begins another over the same events, the same parties and the same accounts. */
  restart(options?: DomainServiceFixtureOptions): Promise<DomainServiceFixture>;
  close(): Promise<void>;
}

/** Number of domains per step in one round of due work. */
export type DueWork = Readonly<
  Record<"renewed" | "failed" | "unsettled" | "expired" | "withheld" | "deleted" | "skipped", number>
>;

/** Options that a spec changes. */
export interface DomainServiceFixtureOptions {
  /** Wraps the sandbox's registrar. */
  readonly registrar?: (registrar: Registrar) => Registrar;
  /** Beside the sandbox's. Default: none. */
  readonly otherRegistrars?: readonly Registrar[];
  /** Wraps the sandbox's DNS server. */
  readonly dns?: (dns: Dns) => Dns;
  /** Wraps the store, as far as the service knows it. */
  readonly store?: (store: EventStore) => EventStore;
  readonly changeWaitLimitMs?: number;
  /** The time of the service and of the simulated providers. Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the life cycle goes on only when a spec says so. */
  readonly lifeCycleIntervalMs?: number;
  /** Told of appends, where the clock is one that waits in virtual time. */
  readonly busyWhile?: VirtualClock["busyWhile"];
  readonly isTimeTrusted?: () => boolean;
  /** Default: the registrar. */
  readonly suspendedBy?: OfflineBy;
  readonly activeRegistrations?: number;
  /** Milliseconds. Default 0. */
  readonly quietMs?: number;
  /** Default: none, but when a spec says so. */
  readonly registrarChecksPerMinute?: number;
  /** False: the providers are not simulated, as far as the service knows. Default: true. */
  readonly simulated?: boolean;
  /** False where the read models are never built. Default: true. */
  readonly isReady?: boolean;
  /** Fills the store with the events of an earlier owner. */
  readonly given?: (store: EventStore) => Promise<void>;
  readonly accounts?: AccountsFixture;
  /** Directory of an earlier service. Default: a new directory. */
  readonly directory?: string;
  /** Read models of an earlier service. Default: new read models. */
  readonly readModels?: ReadModelLocation;
}

/** Milliseconds: longer than any spec. */
const never = 2 ** 31 - 1;

const limits = { timeLimitMs: 10_000, concurrency: 64, queue: 1_000 };

/** Starts the service, with .com on sale at ten euros a year. Close it at the end. */
export async function openDomainService(
  options: DomainServiceFixtureOptions = {},
): Promise<DomainServiceFixture> {
  const { directory = temporaryDirectory().path } = options;
  const { clock = systemClock() } = options;
  const logger = silentLogger();
  const store = await openTestStore(join(directory, "events.sqlite"), { now: () => clock.now() });
  await options.given?.(store);
  const sandbox = openSandbox({ path: join(directory, "sandbox.sqlite"), clock, latencyMs: 0, limboMs: 0 });
  const callers = specCallers();
  const { activeRegistrations, changeWaitLimitMs, simulated = true } = options;
  const { registrar = itself<Registrar>, dns = itself<Dns>, store: wrapped = itself<EventStore> } = options;
  const { accounts = new AccountsFixture("domain") } = options;
  const { readModels = await testLocation(join(directory, "domain.sqlite")) } = options;
  const used = wrapped(lagging(store, clock, options.busyWhile));
  const service = await startDomainService({
    store: used,
    rawStore: used,
    clock,
    ids: randomIds,
    logger,
    readModels,
    registrar: withLimits(registrar(sandbox.registrar), limits, clock),
    ...defined({ otherRegistrars: options.otherRegistrars }),
    dns: withLimits(dns(sandbox.dns), limits, clock),
    sandbox: simulated ? sandbox : undefined,
    accounts,
    settings: {
      serviceNameservers: ["ns1.hostledger.test", "ns2.hostledger.test"],
      parkingAddress: "192.0.2.1",
      fallbackRenewalPriceCents: 1_999n,
      suspendedBy: options.suspendedBy ?? "registrar",
    },
    ...defined({ activeRegistrations }),
    // "Not held" counts when it is said twice; specs of the quiet period set one.
    quietMs: options.quietMs ?? 0,
    ...defined({ changeWaitLimitMs, registrarChecksPerMinute: options.registrarChecksPerMinute }),
    workIntervalMs: options.lifeCycleIntervalMs ?? never,
    ...defined({ isTimeTrusted: options.isTimeTrusted }),
  });
  if (options.isReady !== false) await service.projector.ready();

  const transportFor = (caller: Caller | undefined) => callers.transportTo(service, caller);
  const domains = (caller: Caller | undefined) => createClient(domain.DomainService, transportFor(caller));
  const staff = (caller: Caller = { kind: "staff", name: "ada" }) =>
    createClient(admin.DomainAdminService, transportFor(caller));
  await sell(staff(), "com");
  let accountId = 100;
  const caughtUp = async (): Promise<void> => {
    const last = await store.lastPosition();
    if (last !== undefined) await service.projector.after(last, { limitMs: 10_000 });
  };
  const endOnce = async (): Promise<void> => {
    await service.close();
    sandbox.close();
    await store.close();
  };
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => (ended ??= endOnce());
  return {
    store,
    sandbox,
    accounts,
    domains,
    staff,
    customer(balanceCents = 100_000n) {
      accountId += 1;
      accounts.open(accountId, balanceCents);
      return { accountId, domains: domains({ kind: "account", accountId, keyId: 1 }) };
    },
    parked: () => service.projector.health().flatMap(({ name, state }) => (state === "parked" ? [name] : [])),
    async runDueWork() {
      await caughtUp();
      const counts = await service.work.runDue();
      const count = (step: string) => counts.get(step) ?? 0;
      return {
        renewed: count("renewed"),
        failed: count("failed"),
        unsettled: count("unsettled"),
        expired: count("expired"),
        withheld: count("withheld"),
        deleted: count("deleted"),
        skipped: count(failedAttempt),
      };
    },
    async runRegistrarRound() {
      await caughtUp();
      return service.registrarRounds.runRound();
    },
    runMessageRound: () => service.registryMessages.runRound(),
    caughtUp,
    settled: () =>
      eventually(async () => {
        await caughtUp();
        const { runs } = await staff().listRuns({});
        if (runs.length > 0) throw new Error(`${String(runs.length)} runs are under way`);
      }),
    async restart(next = {}) {
      await end();
      return openDomainService({ accounts, ...next, directory, readModels });
    },
    async close() {
      await end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Has the end of the test close a service, also one that it was restarted as. @returns the service */
export function ofTest(service: DomainServiceFixture): DomainServiceFixture {
  onTestFinished(() => service.close());
  return service;
}

function itself<Provider>(provider: Provider): Provider {
  return provider;
}

/** Puts an extension on sale at ten euros a year, or takes it off. */
export async function sell(staff: DomainAdminClient, tld: string, { active = true } = {}): Promise<void> {
  const prices = { registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 900n };
  await staff.setPrice({ tld, ...prices, active });
}

/** Delays appended events for readers of the store. */
function lagging(
  store: EventStore,
  timing: Timing,
  busyWhile: VirtualClock["busyWhile"] = (work) => work,
): EventStore {
  return {
    append: (stream, expected, events) => busyWhile(store.append(stream, expected, events)),
    read: (stream, options) => store.read(stream, options),
    async *subscribe(options) {
      for await (const batch of store.subscribe(options)) {
        await timing.sleep(5);
        yield batch;
      }
    },
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

/** Waits for an effect after an answer, such as the end of a run or an update of a read model. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 30_000, interval: 10 });
}

/** Call options of a request that may be sent again under the same name. */
export function operation(operationId: string): { readonly headers: Headers } {
  const headers = new Headers();
  headers.set(callHeaders.operationId, operationId);
  headers.set(callHeaders.idempotencyKey, `key-of-${operationId}`);
  return { headers };
}

/** Creates a registrar whose orders wait until the spec releases them. */
export function patientRegistrar(): {
  readonly registrar: (provider: Registrar) => Registrar;
  letGo(): void;
  ordered: Promise<void>;
} {
  const waiting = Promise.withResolvers<undefined>();
  const ordered = Promise.withResolvers<undefined>();
  return {
    ordered: ordered.promise,
    letGo() {
      waiting.resolve(undefined);
    },
    registrar: (provider) => ({
      ...plainRegistrar(provider),
      async register(order) {
        ordered.resolve(undefined);
        await waiting.promise;
        return provider.register(order);
      },
    }),
  };
}
