import { createClient, type ServiceImpl } from "@connectrpc/connect";
import { account, audit, domain, server, support } from "@hostledger/protocol";
import { createInProcessTransport, implement, serverInterceptors } from "@hostledger/rpc";
import { openTokens } from "@hostledger/rpc/testing";
import { seededIds } from "@hostledger/runtime/testing";
import { afterAll, onTestFinished } from "vitest";

import { startGateway, type RunningGateway, type StartGatewayOptions } from "../server.ts";
import { fakeIdempotencyService, type IdempotencyHandlers } from "./fake-idempotency-service.ts";
import {
  fakeAccountHandlers,
  fakeDocumentHandlers,
  fakeDomainHandlers,
  fakeProofHandlers,
  keyOfSeven,
  type AccountHandlers,
  type DocumentHandlers,
  type DomainHandlers,
  type ProofHandlers,
} from "./fake-services.ts";
import { fakePaymentHandlers, type PaymentHandlers } from "./fake-payments.ts";
import {
  fakeCatalogueHandlers,
  fakeServerHandlers,
  type CatalogueHandlers,
  type ServerHandlers,
} from "./fake-server-services.ts";
import { fakeSupportHandlers, type SupportHandlers } from "./fake-support-service.ts";

/** A claim that is already made, because `fakeIdempotencyService` claims keys immediately. */
const madeClaim = { isMade: true, make: () => Promise.resolve(undefined) };

export interface LoggedLine {
  readonly level: "debug" | "info" | "error";
  readonly fields: object;
  readonly message: string;
}

export interface ReadAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** A gateway on a free port with fake services, closed when the test ends. */
export interface GatewayUnderTest {
  readonly running: RunningGateway;
  readonly options: StartGatewayOptions;
  /** `http://127.0.0.1:PORT`, without the API's prefix. */
  readonly origin: string;
  readonly log: LoggedLine[];
  /** Sends a request with the key of account 7, unless the headers contain another. @param path below /api/v1 */
  request(path: string, init?: RequestInit): Promise<ReadAnswer>;
  post(path: string, body: unknown): Promise<ReadAnswer>;
  put(path: string, body: unknown): Promise<ReadAnswer>;
}

export interface GatewayUnderTestOptions extends Partial<
  Pick<
    StartGatewayOptions,
    "metrics" | "readiness" | "requestTimeoutMs" | "requestsPerMinute" | "trustedProxies"
  >
> {
  readonly idempotency?: Partial<IdempotencyHandlers>;
  readonly account?: Partial<AccountHandlers>;
  readonly documents?: Partial<DocumentHandlers>;
  readonly proofs?: Partial<ProofHandlers>;
  readonly payments?: Partial<PaymentHandlers>;
  readonly paymentNotices?: Partial<ServiceImpl<typeof account.PaymentNoticeService>>;
  readonly domain?: Partial<DomainHandlers>;
  readonly server?: Partial<ServerHandlers>;
  readonly catalogue?: Partial<CatalogueHandlers>;
  readonly support?: Partial<SupportHandlers>;
}

/** Starts a gateway with fake services behind the in-process transport and the real interceptors. */
export async function gatewayUnderTest(options: GatewayUnderTestOptions = {}): Promise<GatewayUnderTest> {
  const gateway = await openGateway(options);
  onTestFinished(() => gateway.running.close(0));
  return gateway;
}

/** Shares one gateway between a file's tests without state. Call outside of tests; it starts on first use. */
export function sharedGateway(options: GatewayUnderTestOptions = {}): () => Promise<GatewayUnderTest> {
  let opened: Promise<GatewayUnderTest> | undefined;
  afterAll(async () => {
    await (await opened)?.running.close(0);
  });
  return () => (opened ??= openGateway(options));
}

async function openGateway(options: GatewayUnderTestOptions): Promise<GatewayUnderTest> {
  const {
    account: accounts,
    domain: domains,
    server: servers,
    catalogue,
    support: tickets,
    idempotency,
    documents,
    proofs,
    payments,
    paymentNotices,
    ...rest
  } = options;
  const log: LoggedLine[] = [];
  const silent = { error: () => undefined, info: () => undefined };
  const tokens = openTokens();
  const transport = createInProcessTransport(
    [
      implement(account.AccountService, { ...fakeAccountHandlers(), ...accounts }),
      implement(account.DocumentService, { ...fakeDocumentHandlers(), ...documents }),
      implement(audit.DocumentProofService, { ...fakeProofHandlers(), ...proofs }),
      implement(account.PaymentService, { ...fakePaymentHandlers(), ...payments }),
      implement(account.PaymentNoticeService, {
        receivePaymentNotice: () => ({}),
        ...paymentNotices,
      }),
      implement(account.IdempotencyService, { ...fakeIdempotencyService().handlers, ...idempotency }),
      implement(domain.DomainService, { ...fakeDomainHandlers(), ...domains }),
      implement(server.ServerService, { ...fakeServerHandlers(), ...servers }),
      implement(server.CatalogueService, { ...fakeCatalogueHandlers(), ...catalogue }),
      implement(support.SupportService, { ...fakeSupportHandlers(), ...tickets }),
    ],
    { interceptors: serverInterceptors({ tokens, logger: silent, claimOf: () => madeClaim }) },
  );
  const started: StartGatewayOptions = {
    host: "127.0.0.1",
    port: 0,
    account: createClient(account.AccountService, transport),
    documents: createClient(account.DocumentService, transport),
    proofs: createClient(audit.DocumentProofService, transport),
    payments: createClient(account.PaymentService, transport),
    paymentNotices: createClient(account.PaymentNoticeService, transport),
    idempotency: createClient(account.IdempotencyService, transport),
    domain: createClient(domain.DomainService, transport),
    server: createClient(server.ServerService, transport),
    catalogue: createClient(server.CatalogueService, transport),
    support: createClient(support.SupportService, transport),
    callers: tokens,
    ids: seededIds("gateway"),
    logger: recorder(log),
    readiness: () => Promise.resolve({ ready: true, parts: { account: "serving" } }),
    requestTimeoutMs: 5_000,
    // Specs exceed the customer's limit; specs of the limit set their own value.
    requestsPerMinute: 1_000_000,
    instanceId: "gateway-under-test",
    ...rest,
  };
  const running = await startGateway(started);
  const request = async (path: string, init: RequestInit = {}): Promise<ReadAnswer> => {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", keyOfSeven);
    return read(await fetch(running.url + path, { ...init, headers }));
  };
  const sendJson =
    (method: string) =>
    (path: string, body: unknown): Promise<ReadAnswer> =>
      request(path, {
        method,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
  return {
    running,
    options: started,
    log,
    origin: new URL(running.url).origin,
    request,
    post: sendJson("POST"),
    put: sendJson("PUT"),
  };
}

/** Reads an answer fully. `json` is undefined unless the body is JSON. */
export async function read(response: Response): Promise<ReadAnswer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const json: unknown = text === "" || !isJson ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, json };
}

function recorder(log: LoggedLine[]) {
  const at =
    (level: LoggedLine["level"]) =>
    (fields: object, message: string): void => {
      log.push({ level, fields, message });
    };
  return { debug: at("debug"), info: at("info"), error: at("error") };
}
