import { join } from "node:path";

import { domainAggregate, registrationCodec, type RegistrationEvent } from "@hostledger/core";
import { registrationExamples } from "@hostledger/core/testing";
import {
  createCommandHandler,
  readMetadata,
  writeMetadata,
  type CommandHandler,
  type EventStore,
  type RecordedEvent,
} from "@hostledger/store";
import { openTestStore } from "@hostledger/store/testing";
import { openReadModels } from "@hostledger/read";
import { openWorkEngine, type RunRow, type WorkEngine } from "@hostledger/work";
import type { WorkSchema } from "@hostledger/work/work-table";
import { done, onlyRegistrar, type Registrar } from "@hostledger/providers";
import {
  defined,
  type ManualClock,
  manualClock,
  randomIds,
  realTiming,
  silentLogger,
} from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { onTestFinished } from "vitest";

import { createRegistrations, type Registrations } from "./domain-runs.ts";
import { now, scriptedAccounts, scriptedEffects, scriptedRegistrar } from "./scripted-effects.fixture.ts";

/** Registration runs over a real store, with fake providers that note their calls and rows that the spec writes. */
export interface RunsHarness {
  readonly runs: Registrations;
  readonly engine: WorkEngine;
  readonly clock: ManualClock;
  /** Calls to the providers, in order: `charge r-1`, `register one.com`. */
  readonly asked: string[];
  /** Rows of unfinished runs in the read model. */
  readonly rows: RunRow[];
  /** Reserves a name for a run, as a request does before it begins the run. */
  reserve(run: string, name: string): Promise<void>;
  /** Writes the beginning of a run's own stream, as an owner did that died. */
  write(run: string, events: readonly RegistrationEvent[]): Promise<void>;
  /** The types of a stream's events. */
  typesOf(stream: string): Promise<readonly string[]>;
  /** Returns the actors of a stream's events. */
  actorsOf(stream: string): Promise<readonly string[]>;
}

/** Options that a spec changes. */
export interface RunsHarnessOptions {
  readonly registrar?: Partial<Registrar>;
  readonly activeLimit?: number;
  /** Called for each stream that the runs read. */
  readonly onRead?: (stream: string) => void;
}

const context = { correlationId: "correlation-1", actor: "account:7", requestId: "request-1" };

/** Opens a bench that is closed after the test. */
export async function openRunsHarness(options: RunsHarnessOptions = {}): Promise<RunsHarness> {
  const directory = directoryOfTest();
  const clock = manualClock(now, realTiming);
  const store = await openTestStore(join(directory, "events.sqlite"), { now: () => clock.now() });
  const commands = createCommandHandler({ store, recordedBy: "spec" });
  const asked: string[] = [];
  const rows: RunRow[] = [];
  const seen = readSeen(store, options.onRead);
  const runs = createRunsOver(seen, { commands, clock, asked, rows, engine: () => engine, ...options });
  const path = join(directory, "work.sqlite");
  const database = await openReadModels<WorkSchema>({
    location: { kind: "sqlite", path },
    service: "spec",
    logger: silentLogger(),
  });
  const engine: WorkEngine = await openWorkEngine({
    database,
    kinds: [runs.work],
    clock,
    logger: silentLogger(),
    lease: "lifecycle-domain",
  });
  onTestFinished(async () => {
    await Promise.all([runs.stop(), engine.stop()]);
    await database.close();
    await store.close();
  });
  const eventsOf = async (stream: string): Promise<RecordedEvent[]> => {
    const events: RecordedEvent[] = [];
    for await (const event of store.read(stream)) events.push(event);
    return events;
  };
  return {
    runs,
    engine,
    clock,
    asked,
    rows,
    async reserve(run, name) {
      const { reservedAt: at, ...order } = registrationExamples.reservation();
      const data = { ...order, registrationId: run, name, at };
      await commands.execute(
        domainAggregate,
        name,
        { type: "ReserveRegistration", data },
        {
          ...context,
          commandId: `${run}/ReserveRegistration`,
        },
      );
    },
    async write(run, samples) {
      const metadata = writeMetadata({ ...context, commandId: run }, "spec");
      const events = samples.map(({ type, data }) => ({
        id: randomIds.uuid(),
        type: registrationCodec.storedType(type),
        data: JSON.stringify(data),
        metadata,
      }));
      await store.append(run, "no-stream", events);
    },
    typesOf: async (stream) => (await eventsOf(stream)).map(({ type }) => type.replace(/\.v1$/, "")),
    actorsOf: async (stream) => (await eventsOf(stream)).map(({ metadata }) => readMetadata(metadata).actor),
  };
}

function createRunsOver(
  store: EventStore,
  parts: RunsHarnessOptions & {
    readonly commands: CommandHandler;
    readonly clock: ManualClock;
    readonly asked: string[];
    readonly rows: readonly RunRow[];
    readonly engine: () => WorkEngine;
  },
): Registrations {
  const { commands, clock, asked, rows, activeLimit } = parts;
  return createRegistrations({
    ...scriptedEffects(),
    commands,
    clock,
    registrars: onlyRegistrar(willing(asked, parts.registrar)),
    accounts: scriptedAccounts({
      charge({ chargeId }) {
        asked.push(`charge ${chargeId}`);
        return Promise.resolve({
          accepted: true,
          charge: { invoiceId: 101, grossCents: 2_380n },
          isNew: true,
        });
      },
    }),
    store,
    ids: randomIds,
    logger: silentLogger(),
    recordedBy: "spec",
    queries: {
      // Runs that wait for staff are left out, as in the real query.
      runsToDrive: (process, after, limit) =>
        Promise.resolve(
          rows
            .filter((row) => row.process === process && row.status !== "parked" && row.run > after)
            .toSorted((one, other) => (one.run < other.run ? -1 : 1))
            .slice(0, limit),
        ),
      runById: (run) => Promise.resolve(rows.find((row) => row.run === run)),
    },
    engine: parts.engine,
    ...defined({ activeLimit }),
  });
}

/** A registrar that holds nothing and registers everything, unless the spec says otherwise. */
function willing(asked: string[], calls: Partial<Registrar> = {}): Registrar {
  const answers: Partial<Registrar> = {
    inquire: () => Promise.resolve(done({ held: false })),
    register: ({ name, clientTransactionId, nameservers }) =>
      Promise.resolve(done(heldDomain(name, clientTransactionId, nameservers))),
    ...calls,
  };
  const { inquire, register, ...others } = scriptedRegistrar(answers);
  return {
    ...others,
    inquire(name) {
      asked.push(`inquire ${name}`);
      return inquire(name);
    },
    register(order) {
      asked.push(`register ${order.name}`);
      return register(order);
    },
  };
}

/** A name as the registrar holds it for an order. */
export function heldDomain(name: string, clientTransactionId: string, nameservers: readonly string[]) {
  const { registeredAt, expiresAt, whoisPrivacy, transferLock } = registrationExamples.order;
  return { name, clientTransactionId, registeredAt, expiresAt, nameservers, whoisPrivacy, transferLock };
}

function readSeen(store: EventStore, onRead: RunsHarnessOptions["onRead"] = () => undefined): EventStore {
  return {
    append: (stream, expected, events) => store.append(stream, expected, events),
    read(stream, options) {
      onRead(stream);
      return store.read(stream, options);
    },
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

/** The read model's row of a run that began so many seconds before the bench's clock was started. */
export function runRow(
  run: string,
  name: string,
  { status = "running", ageSeconds = 60 }: { readonly status?: string; readonly ageSeconds?: number } = {},
): RunRow {
  const startedAt = new Date(Date.parse(now) - ageSeconds * 1_000).toISOString().replace("Z", "000Z");
  return {
    run,
    process: "registration",
    subject: name,
    account_id: 7,
    status,
    step: "charging",
    started_at: startedAt,
    reason: null,
  };
}
