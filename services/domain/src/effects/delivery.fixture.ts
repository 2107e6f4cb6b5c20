import { join } from "node:path";

import { deliveryWarning, domainCodec, type DomainNameEvent, type RegisteredDomain } from "@hostledger/core";
import { domainExamples } from "@hostledger/core/testing";
import { createCommandHandler, eventsOf, writeMetadata, type EventStore } from "@hostledger/store";
import type { Leases } from "@hostledger/work/leases";
import { openWorkEngine } from "@hostledger/work";
import { beginWork, workTables } from "@hostledger/work/work-table";
import { openReadModels, type ReadModelDatabase } from "@hostledger/read";
import { InMemoryEventStore } from "@hostledger/read/testing";
import {
  done,
  onlyRegistrar,
  type Dns,
  type Outcome,
  type Registrar,
  type RegistrarDomain,
} from "@hostledger/providers";
import { defined, silentLogger } from "@hostledger/runtime";
import { directoryOfTest, virtualClock } from "@hostledger/runtime/testing";
import { onTestFinished } from "vitest";

import type { DomainSchema } from "../reads/domain.tables.ts";
import { createDelivery, type Delivery } from "./delivery.ts";

export const name = "example.com";
export const customNameservers = domainExamples.customNameservers;
export const context = { correlationId: "correlation-1", actor: "account:7" };

type Step = () => void;

/** A delivery in a process of its own. */
export interface DeliveryProcess extends Delivery {
  stop(): Promise<void>;
}

/** A registrar and a DNS server in memory, a store with the domain that is to be given something, and a table of due work. */
export class DeliveryHarness {
  readonly clock = virtualClock();
  readonly store: EventStore = new InMemoryEventStore();
  /** Calls to the providers, in order. */
  readonly calls: string[] = [];
  nameservers: readonly string[] = domainExamples.serviceNameservers;
  zone: unknown;
  updateNameservers: (nameservers: readonly string[]) => Outcome<unknown> = (nameservers) => {
    this.nameservers = nameservers;
    return done(undefined);
  };
  inquire: () => Outcome<{ held: true; domain: RegistrarDomain } | { held: false }> = () =>
    done({ held: true, domain: { ...held, nameservers: this.nameservers } });
  createZone: (records: unknown) => Outcome<undefined> = (records) => {
    this.zone = records;
    return done(undefined);
  };
  /** Called before and after every call of a provider and every append: it throws where the process dies. */
  step: Step = () => undefined;
  #recordId = 19;
  readonly #database: ReadModelDatabase<DomainSchema>;

  private constructor(database: ReadModelDatabase<DomainSchema>) {
    this.#database = database;
  }

  /** A registered domain, for which these nameservers were asked for. */
  static async registered(nameservers: readonly string[] | null = null): Promise<DeliveryHarness> {
    const database = await openReadModels<DomainSchema>({
      location: { kind: "sqlite", path: join(directoryOfTest(), "domain.sqlite") },
      service: "domain",
      logger: silentLogger(),
    });
    onTestFinished(() => database.close());
    const harness = new DeliveryHarness(database);
    const { RegistrationReserved, DomainRegistered } = domainExamples.samples;
    const reserved = { ...RegistrationReserved, data: { ...RegistrationReserved.data, nameservers } };
    await harness.write(reserved, DomainRegistered);
    await harness.#begin();
    return harness;
  }

  /** Adds the domain to the table of due work, as the projection does. */
  async #begin(): Promise<void> {
    const { storage } = this.#database;
    const tables = storage.tables(workTables);
    const at = new Date(this.clock.epochMilliseconds() + 10_000).toISOString();
    await storage.exclusively(async () => {
      await tables.create();
      const writer = tables.writer();
      writer.reflect(1n);
      beginWork(writer, { kind: "domain-delivery", key: name, accountId: 7 }, at);
      await writer.flush();
    });
  }

  /** Events that somebody else records of the domain. */
  async write(...samples: readonly DomainNameEvent[]): Promise<void> {
    const events = samples.map(({ type, data }, index) => ({
      id: `given-${type}-${String(index)}`,
      type: domainCodec.storedType(type),
      data: JSON.stringify(data),
      metadata: writeMetadata({ ...context, commandId: "given" }, "spec"),
    }));
    await this.store.append(`domain-${name}`, "any", events);
  }

  /** Returns the events since the registration, with their actors. */
  async events(): Promise<
    { readonly event: DomainNameEvent; readonly actor: string; readonly cause: unknown }[]
  > {
    const events = [];
    for await (const { event, metadata } of eventsOf(this.store, `domain-${name}`, domainCodec))
      events.push({ event, actor: metadata.actor, cause: metadata.causationId });
    return events.slice(2);
  }

  async types(): Promise<string[]> {
    return (await this.events()).map(({ event }) => event.type);
  }

  /** Starts a process that delivers. @param rounds false: only requests start deliveries */
  async start({
    leases,
    rounds = true,
    intervalMs = 1_000,
  }: { leases?: Leases; rounds?: boolean; intervalMs?: number } = {}): Promise<DeliveryProcess> {
    const { clock } = this;
    const delivery = createDelivery({
      store: this.store,
      commands: createCommandHandler({ store: this.#mortalStore(leases !== undefined), recordedBy: "spec" }),
      clock,
      queries: { isRunStopped: () => Promise.resolve(false) },
      engine: () => engine,
      registrars: onlyRegistrar(this.#registrar()),
      dns: this.#dns(),
      recordIds: { next: () => Promise.resolve((this.#recordId += 1)) },
      settings: {
        serviceNameservers: domainExamples.serviceNameservers,
        parkingAddress: "192.0.2.1",
        fallbackRenewalPriceCents: 1_999n,
        suspendedBy: "registrar",
      },
    });
    const engine: Awaited<ReturnType<typeof openWorkEngine>> = await openWorkEngine({
      database: this.#busyDatabase(),
      kinds: [delivery.work],
      clock,
      logger: silentLogger(),
      lease: "lifecycle-domain",
      intervalMs,
      ...defined({ leases }),
    });
    const stopping = new AbortController();
    const running = rounds ? engine.run(stopping.signal) : Promise.resolve();
    const stop = async (): Promise<void> => {
      stopping.abort();
      await engine.stop();
      await running;
    };
    onTestFinished(stop);
    return { ...delivery, stop };
  }

  /** Writes in another thread while the clock stands still. */
  #busyDatabase(): ReadModelDatabase<DomainSchema> {
    const { clock } = this;
    const { storage } = this.#database;
    const busy: typeof storage = {
      ...storage,
      exclusively: (work) => clock.busyWhile(storage.exclusively(work)),
    };
    return { ...this.#database, storage: busy };
  }

  async #call<Answer>(call: string, answer: () => Answer): Promise<Answer> {
    this.step();
    this.calls.push(call);
    const answered = answer();
    await Promise.resolve();
    this.step();
    return answered;
  }

  #registrar(): Registrar {
    return {
      name: "sandbox",
      check: unused,
      register: unused,
      inquire: () => this.#call("inquire", () => this.inquire()),
      renew: unused,
      restore: unused,
      updateNameservers: (_, nameservers) =>
        this.#call("delegate", () => {
          const answer = this.updateNameservers(nameservers);
          return answer.outcome === "done" ? done({ ...held, nameservers }) : answer;
        }),
      updateSettings: unused,
      authCode: unused,
      cancel: unused,
      transferIn: unused,
      inquireTransfer: unused,
      cancelTransfer: unused,
      needsRegistrant: () => false,
      years: { least: 1, most: 10 },
    };
  }

  #dns(): Dns {
    return {
      createZone: ({ records }) => this.#call("create-zone", () => this.createZone(records)),
      replaceRecordSets: unused,
      inquireZone: () =>
        this.#call("inquire-zone", () =>
          Array.isArray(this.zone)
            ? done({ held: true, zone: { name, records: this.zone } } as const)
            : done({ held: false } as const),
        ),
      deleteZone: unused,
    };
  }

  #mortalStore(shared: boolean): EventStore {
    return {
      shared,
      append: async (stream, expected, events) => {
        this.step();
        const appended = await this.store.append(stream, expected, events);
        this.step();
        return appended;
      },
      read: (stream, options) => this.store.read(stream, options),
      subscribe: (options) => this.store.subscribe(options),
      lastPosition: () => this.store.lastPosition(),
      close: () => this.store.close(),
    };
  }
}

/** Returns what a registration's answer contains about a domain's delivery. */
export function reported(domain: RegisteredDomain) {
  return { warning: deliveryWarning(domain), records: domain.zone?.records.size ?? 0 };
}

const held: RegistrarDomain = {
  name,
  clientTransactionId: "r-1",
  registeredAt: domainExamples.at,
  expiresAt: "2028-03-01T10:00:00.000000Z",
  nameservers: domainExamples.serviceNameservers,
  whoisPrivacy: true,
  transferLock: true,
};

const unused = (): never => {
  throw new Error("not part of this spec");
};
