import { join } from "node:path";

import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Client } from "@connectrpc/connect";
import { type Accounts, eventsOf, type EventStore } from "@hostledger/store";
import { AccountsFixture, openTestStore } from "@hostledger/store/testing";
import type { ReadModelLocation } from "@hostledger/read";
import { testLocation } from "@hostledger/read/testing";
import { admin, server } from "@hostledger/protocol";
import {
  openSandbox,
  withLimits,
  type Compute,
  type HeldServer,
  type Outcome,
  type Sandbox,
} from "@hostledger/providers";
import { callHeaders, type Caller } from "@hostledger/rpc";
import { specCallers } from "@hostledger/rpc/testing";
import { defined, randomIds, silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { onTestFinished, vi } from "vitest";

import { FixtureClock } from "./fixture-clock.fixture.ts";
import { serverSubscriptionCodec, type ServerSubscriptionEvent } from "./reads/server.subscription.ts";
import { startServerService, type ServerService } from "./service.ts";

export type ServerClient = Client<typeof server.ServerService>;
export type CatalogueClient = Client<typeof server.CatalogueService>;
export type ServerAdminClient = Client<typeof admin.ServerAdminService>;

export interface Customer {
  readonly accountId: number;
  readonly servers: ServerClient;
  readonly catalogue: CatalogueClient;
}

export interface ServerInstance {
  readonly service: ServerService;
  /** Waits until the read models contain all stored events. */
  caughtUp(): Promise<void>;
  /** Returns a client; `undefined` calls without a token. */
  servers(caller: Caller | undefined): ServerClient;
  catalogue(caller: Caller | undefined): CatalogueClient;
  staff(caller?: Caller): ServerAdminClient;
  customer(balanceCents?: bigint): Customer;
}

export interface InstanceOptions {
  readonly store?: (store: EventStore) => EventStore;
  readonly compute?: (compute: Compute) => Compute;
  readonly accounting?: (accounts: Accounts) => Accounts;
  readonly activeRuns?: number;
  readonly isTimeTrusted?: () => boolean;
  /** Milliseconds of the quiet period. Default: 0. */
  readonly quietMs?: number;
}

/** Shared by all instances: the store, the simulated providers and the clock. */
export interface Harness {
  readonly store: EventStore;
  readonly sandbox: Sandbox;
  readonly accounts: AccountsFixture;
  readonly clock: FixtureClock;
  /** Starts an instance, closed after the test unless it `dies`. */
  start(options?: InstanceOptions & { readonly dies?: boolean }): Promise<ServerInstance>;
  storedEventsOf(stream: string): Promise<readonly ServerSubscriptionEvent[]>;
  typesOf(stream: string): Promise<readonly string[]>;
  /** Closes the harness before the end of the test. */
  close(): Promise<void>;
  /** Returns the compute provider's record of a server. */
  nodeOf(serverId: bigint): HeldServer | undefined;
}

const limits = { timeLimitMs: 2_000, concurrency: 256, queue: 4_096 };

export const startOfTime = "2027-01-31T10:00:00.000000Z";

/** Creates a harness that closes with the test. */
export async function openHarness({ start = startOfTime } = {}): Promise<Harness> {
  const directory = directoryOfTest();
  const clock = new FixtureClock(start);
  const store = await openTestStore(join(directory, "events.sqlite"), { now: () => clock.now() });
  const sandbox = openSandbox({ path: join(directory, "sandbox.sqlite"), clock, latencyMs: 0, limboMs: 500 });
  const accounts = new AccountsFixture("server");
  const running: ServerService[] = [];
  const left: ServerService[] = [];
  const end = async (): Promise<void> => {
    // Dead instances never finish their work, so closing them is not awaited.
    for (const service of left) void service.close();
    for (const service of running) await service.close();
    sandbox.close();
    await store.close();
  };
  let ended: Promise<void> | undefined;
  const close = (): Promise<void> => (ended ??= end());
  onTestFinished(close);
  let instances = 0;
  const storedEventsOf = async (stream: string): Promise<ServerSubscriptionEvent[]> => {
    const events: ServerSubscriptionEvent[] = [];
    for await (const { event } of eventsOf(store, stream, serverSubscriptionCodec)) events.push(event);
    return events;
  };
  return {
    store,
    sandbox,
    accounts,
    clock,
    async start({ dies = false, ...options } = {}) {
      instances += 1;
      const readModels = await testLocation(join(directory, `server-${String(instances)}.sqlite`));
      const instance = await startInstance({ store, sandbox, accounts, clock, readModels }, options);
      (dies ? left : running).push(instance.service);
      return instance;
    },
    storedEventsOf,
    typesOf: async (stream) => (await storedEventsOf(stream)).map(({ type }) => type),
    close,
    nodeOf: (serverId) => sandbox.show().compute.find(({ name }) => name.endsWith(`-${String(serverId)}`)),
  };
}

/** Creates a harness with one instance, a plan of ten euros a month, and its units in a region. */
export async function openShop(
  options: InstanceOptions & { readonly units?: number; readonly start?: string } = {},
): Promise<Harness & ServerInstance & { readonly planId: bigint; readonly regionId: bigint }> {
  const { units = 10, start = startOfTime, ...instanceOptions } = options;
  const harness = await openHarness({ start });
  const instance = await harness.start(instanceOptions);
  const shop = await stockUp(instance, units);
  return { ...harness, ...instance, start: (more) => harness.start(more), ...shop };
}

/** Replaces answers of chosen calls to the compute provider. */
export class ComputeBreaker {
  /** Answers by method; other methods reach the provider. */
  readonly broken = new Map<keyof Compute, Outcome<never>>();
  /** Names of calls that reached the provider, in order. */
  readonly calls: string[] = [];

  readonly wrap = (compute: Compute): Compute => {
    const through = <T>(call: keyof Compute, name: string, make: () => Promise<Outcome<T>>) => {
      const answer = this.broken.get(call);
      if (answer !== undefined) return Promise.resolve(answer);
      this.calls.push(`${call} ${name}`);
      return make();
    };
    return {
      provision: (order) => through("provision", order.name, () => compute.provision(order)),
      inquire: (name) => through("inquire", name, () => compute.inquire(name)),
      destroy: (name) => through("destroy", name, () => compute.destroy(name)),
      suspend: (name) => through("suspend", name, () => compute.suspend(name)),
      resume: (name) => through("resume", name, () => compute.resume(name)),
      replaceFirewall: (name, firewall) =>
        through("replaceFirewall", name, () => compute.replaceFirewall(name, firewall)),
      readFirewall: (name) => through("readFirewall", name, () => compute.readFirewall(name)),
    };
  };
}

export async function stockUp(
  instance: Pick<ServerInstance, "staff">,
  units = 10,
  { title = "Small", code = "fra1" } = {},
): Promise<{ readonly planId: bigint; readonly regionId: bigint }> {
  const staff = instance.staff();
  const { planId } = await staff.addPlan({ title, cores: 2, memoryGb: 4, storageGb: 40, priceCents: 1_000n });
  const { regionId } = await staff.addRegion({ code, location: "Frankfurt" });
  await staff.setStock({ planId, regionId, units });
  return { planId, regionId };
}

interface Shared {
  readonly store: EventStore;
  readonly sandbox: Sandbox;
  readonly accounts: AccountsFixture;
  readonly clock: FixtureClock;
  readonly readModels: ReadModelLocation;
}

async function startInstance(
  { store, sandbox, accounts, clock, readModels }: Shared,
  {
    store: wrapStore = same,
    compute = same,
    accounting = same,
    activeRuns,
    isTimeTrusted,
    quietMs = 0,
  }: InstanceOptions,
): Promise<ServerInstance> {
  const logger = silentLogger();
  const callers = specCallers();
  const service = await startServerService({
    store: wrapStore(store),
    clock,
    ids: randomIds,
    logger,
    readModels,
    compute: withLimits(compute(sandbox.compute), limits),
    accounts: accounting(accounts),
    // 0 because specs of the quiet period set their own value.
    quietMs,
    ...defined({ activeRuns, isTimeTrusted }),
  });
  await service.projector.ready();
  const transportFor = (caller: Caller | undefined) => callers.transportTo(service, caller);
  const servers = (caller: Caller | undefined) => createClient(server.ServerService, transportFor(caller));
  const catalogue = (caller: Caller | undefined) =>
    createClient(server.CatalogueService, transportFor(caller));
  return {
    service,
    async caughtUp() {
      const last = await store.lastPosition();
      if (last !== undefined) await service.projector.after(last, { limitMs: 10_000 });
    },
    servers,
    catalogue,
    staff: (caller = { kind: "staff", name: "ada" }) =>
      createClient(admin.ServerAdminService, transportFor(caller)),
    customer(balanceCents = 100_000n) {
      const accountId = 101 + accounts.balances.size;
      accounts.open(accountId, balanceCents);
      const caller = { kind: "account", accountId, keyId: 1 } as const;
      return { accountId, servers: servers(caller), catalogue: catalogue(caller) };
    },
  };
}

function same<Part>(part: Part): Part {
  return part;
}

export function asOperation(operationId: string): { readonly headers: Headers } {
  return { headers: new Headers({ [callHeaders.operationId]: operationId }) };
}

/** Waits for effects after an answer, such as a continuing run or a corrected node. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 30_000, interval: 10 });
}

/** Waits until all runs have ended; an answer precedes a run's last event. */
export async function allRunsEnded({
  staff,
  caughtUp,
}: Pick<ServerInstance, "staff" | "caughtUp">): Promise<void> {
  await eventually(async () => {
    // A run that has just begun has no row until the read model catches up.
    await caughtUp();
    const { runs } = await staff().listServerRuns({});
    if (runs.length > 0) throw new Error(`${String(runs.length)} runs are unfinished`);
  });
}

/** Provisions a free server and waits for its run. */
export async function giveServer(
  instance: Pick<ServerInstance, "staff" | "caughtUp">,
  gift: MessageInitShape<typeof admin.ProvisionServerRequestSchema>,
): Promise<bigint> {
  const { serverId } = await instance.staff().provisionServer(gift);
  await allRunsEnded(instance);
  return serverId;
}
