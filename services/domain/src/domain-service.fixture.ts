import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { createClient, type Client, type Interceptor } from "@connectrpc/connect";
import type { Rejection } from "@hostledger/core";
import { openEmbeddedEventStore, type EventStore } from "@hostledger/event-store";
import { account, admin, domain } from "@hostledger/protocol";
import { openSandbox, withLimits, type Registrar, type Sandbox } from "@hostledger/providers";
import {
  callHeaders,
  createCallerTokens,
  createInProcessTransport,
  rejectionOf,
  serverInterceptors,
  type Caller,
} from "@hostledger/rpc";
import { randomIds, silentLogger, systemClock } from "@hostledger/runtime";
import { vi } from "vitest";

import { AccountsFixture } from "./accounts.fixture.ts";
import { startDomainService } from "./service.ts";

export type DomainClient = Client<typeof domain.DomainService>;
export type DomainAdminClient = Client<typeof admin.DomainAdminService>;

/** The domain service on a real store and the real sandbox, with accounts in memory, and clients for whoever calls. */
export interface DomainServiceFixture {
  readonly store: EventStore;
  readonly sandbox: Sandbox;
  readonly accounts: AccountsFixture;
  /** Undefined: without a token. */
  domains(caller: Caller | undefined): DomainClient;
  /** A customer with this balance, and its client. */
  customer(balanceCents?: bigint): { readonly accountId: number; readonly domains: DomainClient };
  staff(caller?: Caller): DomainAdminClient;
  close(): Promise<void>;
}

/** What a spec sets up differently. */
export interface DomainServiceFixtureOptions {
  /** Wraps the sandbox's registrar. */
  readonly registrar?: (registrar: Registrar) => Registrar;
  readonly activeRegistrations?: number;
  /** False: the parties are not simulated, as far as the service knows. Default: true. */
  readonly simulated?: boolean;
  /** What an earlier owner left in the store. */
  readonly given?: (store: EventStore) => Promise<void>;
  readonly accounts?: AccountsFixture;
}

const limits = { timeLimitMs: 10_000, concurrency: 64, queue: 1_000 };

/** Starts the service, with .com on sale at ten euros a year. Close it at the end. */
export async function openDomainService(
  options: DomainServiceFixtureOptions = {},
): Promise<DomainServiceFixture> {
  const directory = mkdtempSync(join(tmpdir(), "hostledger-domain-"));
  const clock = systemClock();
  const logger = silentLogger();
  const store = await openEmbeddedEventStore({
    path: join(directory, "events.sqlite"),
    now: () => clock.now(),
    onFailure(error) {
      throw error;
    },
  });
  await options.given?.(store);
  const sandbox = openSandbox({ path: join(directory, "sandbox.sqlite"), clock, latencyMs: 0, limboMs: 0 });
  const callers = createCallerTokens(new Uint8Array(32).fill(1), clock);
  const interceptors = serverInterceptors({ tokens: callers, logger });
  const { registrar = (party: Registrar) => party, activeRegistrations, simulated = true } = options;
  const { accounts = new AccountsFixture() } = options;
  const service = await startDomainService({
    store: lagging(store),
    clock,
    ids: randomIds,
    logger,
    readModels: join(directory, "domain.sqlite"),
    registrar: withLimits(registrar(sandbox.registrar), limits),
    dns: sandbox.dns,
    sandbox: simulated ? sandbox : undefined,
    accounts: createClient(
      account.AccountService,
      createInProcessTransport([accounts.implementation()], { interceptors }),
    ),
    callers,
    settings: {
      serviceNameservers: ["ns1.hostledger.test", "ns2.hostledger.test"],
      parkingAddress: "192.0.2.1",
    },
    ...(activeRegistrations === undefined ? {} : { activeRegistrations }),
  });
  await service.projector.ready();

  const speakAs =
    (caller: Caller | undefined): Interceptor =>
    (next) =>
    (request) => {
      if (caller !== undefined) request.header.set(callHeaders.caller, callers.issue(caller));
      return next(request);
    };
  const transportFor = (caller: Caller | undefined) =>
    createInProcessTransport([...service.routes, ...service.staffRoutes], {
      interceptors: [speakAs(caller), ...interceptors],
    });
  const domains = (caller: Caller | undefined) => createClient(domain.DomainService, transportFor(caller));
  const staff = (caller: Caller = { kind: "staff", name: "ada" }) =>
    createClient(admin.DomainAdminService, transportFor(caller));
  await sell(staff(), "com");
  let accountId = 100;
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
    async close() {
      await service.close();
      sandbox.close();
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Puts an extension on sale at ten euros a year, or takes it off. */
export async function sell(staff: DomainAdminClient, tld: string, { active = true } = {}): Promise<void> {
  const prices = { registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 900n };
  await staff.setPrice({ tld, ...prices, active });
}

/** The store as its readers may find it: what was appended reaches them a moment later. */
function lagging(store: EventStore): EventStore {
  return {
    append: (stream, expected, events) => store.append(stream, expected, events),
    read: (stream, options) => store.read(stream, options),
    async *subscribe(options) {
      for await (const batch of store.subscribe(options)) {
        await delay(5);
        yield batch;
      }
    },
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

/** Waits for what happens after an answer: a run that goes on, a read model that follows. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 30_000, interval: 10 });
}

/** What a call is refused with. @throws Error when it is not refused. */
export async function refusalOf(call: Promise<unknown>): Promise<Rejection> {
  let answer: unknown;
  try {
    answer = await call;
  } catch (error) {
    return rejectionOf(error);
  }
  throw new Error(`expected a refusal, not ${String(answer)}`);
}
