import { codecOfExcerpts } from "@hostledger/core/testing";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";

import { createClient, type Client, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { hostingCodec, type HostingEvent } from "@hostledger/core";
import type { EventStore } from "@hostledger/store";
import { openTestStore } from "@hostledger/store/testing";
import { openSqliteSubjectKeys, sealPersonalData, type SubjectKeys } from "@hostledger/store/personal-data";
import { testLocation } from "@hostledger/read/testing";
import { admin, audit } from "@hostledger/protocol";
import { type Caller } from "@hostledger/rpc";
import { specCallers } from "@hostledger/rpc/testing";
import { type ManualClock, manualClock, randomIds, realTiming, silentLogger } from "@hostledger/runtime";
import { directoryOfTest, listen } from "@hostledger/runtime/testing";
import { onTestFinished } from "vitest";

import type { AuditServiceOptions } from "./dependencies.ts";
import { openMemoryLog, type MemoryLog } from "./memory-log.fixture.ts";
import { startAuditService, type AuditService } from "./service.ts";

export type AuditClient = Client<typeof audit.AuditService>;

/** The audit service on a real store, with a log in memory. It ends with the test. */
export interface AuditFixture {
  readonly clock: ManualClock;
  /** The raw store, with sealed personal data. */
  readonly store: EventStore;
  readonly keys: SubjectKeys;
  readonly log: MemoryLog;
  readonly service: AuditService;
  /** URL under which `/audit` is served. */
  readonly url: string;
  /** Makes a client on an internal listener, for staff or another caller. */
  audits(caller?: Caller): AuditClient;
  readonly admins: Client<typeof admin.AuditorAdminService>;
  /** Makes a client over HTTP with this `Authorization` header. */
  overHttp(authorization: string | undefined): AuditClient;
  /** Issues a credential and returns its `Authorization` header. */
  issue(days?: number): Promise<{ readonly credentialId: bigint; readonly authorization: string }>;
  /** Stores events without waiting for their readers. @returns their ids */
  append(stream: string, ...events: readonly HostingEvent[]): Promise<readonly string[]>;
  /** Stores events and waits until log and read models have them. */
  record(stream: string, ...events: readonly HostingEvent[]): Promise<void>;
  /** Waits until log and read models have all stored events. */
  settled(): Promise<void>;
}

export async function openAudit(
  options: Partial<AuditServiceOptions> = {},
  decorate = (store: EventStore): EventStore => store,
): Promise<AuditFixture> {
  const directory = directoryOfTest();
  const clock = manualClock("2026-03-01T10:00:00.000000Z", realTiming);
  const logger = silentLogger();
  const store = decorate(await openTestStore(join(directory, "events.sqlite"), { now: () => clock.now() }));
  const keys = openSqliteSubjectKeys({ path: join(directory, "subject-keys.sqlite") });
  const log = openMemoryLog(store);
  const sealed = sealPersonalData(store, keys);
  const service = await startAuditService({
    store: sealed,
    codecOf: codecOfExcerpts,
    rawStore: store,
    subjectKeys: keys,
    clock,
    ids: randomIds,
    logger,
    log,
    readModels: await testLocation(join(directory, "audit.sqlite")),
    ...options,
  });
  await service.projector.ready();
  const http = await serve(service.http);
  onTestFinished(async () => {
    await http.close();
    await service.close();
    await log.close();
    await store.close();
    await keys.close();
  });
  const callers = specCallers();
  const transportTo = (caller: Caller) => callers.transportTo(service, caller);
  const staff = { kind: "staff", name: "ada" } as const;
  const admins = createClient(admin.AuditorAdminService, transportTo(staff));
  const settled = async (): Promise<void> => {
    await log.caughtUp();
    const last = await store.lastPosition();
    if (last !== undefined) await service.projector.after(last, { limitMs: 5_000 });
  };
  const append: AuditFixture["append"] = async (stream, ...events) => {
    const stored = events.map(({ type, data }) => ({
      id: randomIds.uuid(),
      type: hostingCodec.storedType(type),
      data: JSON.stringify(data),
      metadata: specMetadata,
    }));
    await sealed.append(stream, "any", stored);
    return stored.map(({ id }) => id);
  };
  return {
    clock,
    store,
    keys,
    log,
    service,
    admins,
    settled,
    url: http.url,
    audits: (caller = staff) => createClient(audit.AuditService, transportTo(caller)),
    overHttp: (authorization) => httpClient(http.url, authorization),
    async issue(days = 30) {
      const { credentialId, credential } = await admins.issueAuditorCredential({ name: "Grace", days });
      return { credentialId, authorization: `Bearer ${credential}` };
    },
    append,
    async record(stream, ...events) {
      await append(stream, ...events);
      await settled();
    },
  };
}

export function readingBy(store: EventStore, read: EventStore["read"]): EventStore {
  return {
    read,
    append: (stream, expected, events) => store.append(stream, expected, events),
    subscribe: (options) => store.subscribe(options),
    lastPosition: () => store.lastPosition(),
    close: () => store.close(),
  };
}

const specMetadata = JSON.stringify({
  correlationId: "spec",
  causationId: "spec",
  commandId: "spec",
  actor: "spec",
  recordedBy: "spec",
});

function withHeader(name: string, value: string): Interceptor {
  return (next) => (request) => {
    request.header.set(name, value);
    return next(request);
  };
}

function httpClient(url: string, authorization: string | undefined): AuditClient {
  const interceptors = authorization === undefined ? [] : [withHeader("authorization", authorization)];
  const baseUrl = `${url}/audit/rpc`;
  return createClient(
    audit.AuditService,
    createConnectTransport({ baseUrl, httpVersion: "1.1", interceptors }),
  );
}

async function serve(listener: RequestListener): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(listener);
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${String(port)}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
