import type { IncomingMessage, ServerResponse } from "node:http";

import type { Client } from "@connectrpc/connect";
import type { Seller } from "@hostledger/documents";
import type { account } from "@hostledger/protocol";
import { createOutgoing, restCode, type CallerTokens } from "@hostledger/rpc";
import { defined, hostHeaderFault, type Ids, type Metrics, type Tracing } from "@hostledger/runtime";
import express, { type NextFunction, type Request } from "express";

import { createAdmission } from "./http/admission.ts";
import { send } from "./http/answer.ts";
import { apiPrefix } from "./http/operation.ts";
import { createAuthentication } from "./http/authentication.ts";
import { createCallerOf } from "./http/caller.ts";
import { beginContext, type GatewayResponse } from "./http/gateway-context.ts";
import { createIdempotency } from "./http/idempotency.ts";
import { mount, type Pipeline } from "./http/mount.ts";
import { answerTo, RefusalError } from "./http/refusal.ts";
import { createRequestLog, type GatewayLogger } from "./http/request-log.ts";
import { traceRequest } from "./http/request-span.ts";
import { operationsOf, type GatewayClients } from "./operations.ts";
import { mountAcme } from "./routes/acme.routes.ts";
import { mountDocs } from "./routes/docs.routes.ts";
import type { SharedCounts } from "./http/shared-counts.ts";
import { mountHealth, type Readiness } from "./routes/health.routes.ts";
import { mountHome } from "./routes/home.routes.ts";

export { apiPrefix } from "./http/operation.ts";

/** What the gateway is made of. */
export interface GatewayOptions extends GatewayClients {
  /** Remembers what the requests with an `Idempotency-Key` came to. */
  readonly idempotency: Client<typeof account.IdempotencyService>;
  /** Names this process among those that run requests with an `Idempotency-Key`. */
  readonly instanceId: string;
  /** Issues the tokens under which the gateway calls, for itself and for its callers. */
  readonly callers: CallerTokens;
  readonly logger: GatewayLogger;
  readonly ids: Pick<Ids, "requestId">;
  /** Where the time of every request is measured. */
  readonly metrics?: Pick<Metrics, "histogram">;
  /** Where a collector wants to know what each request leads to. */
  readonly tracing?: Tracing;
  /** Answers what is below `/audit`: the auditors' console, log and RPC. Absent where the audit service runs alone. */
  readonly audit?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Asked on every `GET /readyz`. */
  readonly readiness: () => Promise<Readiness>;
  /** Time limit of every call to a service, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Who stands on invoices; without one they say that nobody was named. */
  readonly seller?: Seller;
  /**
   * Requests that an API key has a minute, and failed authentications that an address, or the beginning of a key, has; 0 sets
   * no limit.
   */
  readonly requestsPerMinute: number;
  /** Networks (CIDR) of the proxies that may name the client in `X-Forwarded-For`; without any nobody may. */
  readonly trustedProxies?: readonly string[];
  /** Where several gateways count requests together; each counts its own without it. */
  readonly sharedCounts?: SharedCounts;
}

/** What can be told before the services are there. */
export type WaitingGatewayOptions = Pick<GatewayOptions, "ids" | "logger" | "readiness">;

/** Builds the REST API as an Express app. It holds no state and no business rule. */
export function createGateway(options: GatewayOptions): express.Express {
  const { audit, readiness } = options;
  return createApp(options, (app) => {
    const operations = operationsOf(options, options.seller);
    const pipeline = pipelineOf(options);
    mount(app, apiPrefix, operations, pipeline);
    mountAcme(app, options.domain, pipeline);
    mountDocs(app, operations);
    mountHealth(app, readiness);
    mountHome(app, { hasConsole: audit !== undefined });
    if (audit !== undefined) mountAudit(app, audit);
    app.use(() => {
      throw new RefusalError({ code: "not-found", message: "There is no such path." });
    });
  });
}

/** What is answered before the services are there: whether they are, and to everything else that they will be. */
export function createWaitingGateway(options: WaitingGatewayOptions): express.Express {
  return createApp(options, (app) => {
    mountHealth(app, options.readiness);
    app.use(() => {
      const message = "The service is starting. Nothing was done; try again in a moment.";
      throw new RefusalError({ code: "temporarily-unavailable", message });
    });
  });
}

/** Every request has an id, a line in the log and, whatever happens, an answer. */
function createApp(
  { ids, logger, metrics, tracing }: Pick<GatewayOptions, "ids" | "logger" | "metrics" | "tracing">,
  mountRoutes: (app: express.Express) => void,
): express.Express {
  const log = createRequestLog(logger, metrics);
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", "simple");
  // Should our own error handler ever break, Express's last resort shows no stack trace.
  app.set("env", "production");

  app.use((request: Request, response: GatewayResponse, next: NextFunction) => {
    response.locals.context = beginContext(request, ids);
    response.once("close", () => {
      log(request, response);
    });
    refuseWhatNodeWould(request);
    if (tracing === undefined) next();
    else traceRequest(tracing, { request, response, next });
  });
  mountRoutes(app);
  app.use((error: unknown, _request: Request, response: GatewayResponse, _next: NextFunction) => {
    const { context } = response.locals;
    const { answer, rejection } = answerTo(error);
    context.code = restCode(rejection.code);
    context.cause = error;
    // Half an answer cannot be taken back; a broken connection says that it is not whole.
    if (response.headersSent) response.destroy();
    else send(response, answer);
  });
  return app;
}

/**
 * What Node refuses by itself is refused here, in the shape of every failure.
 * @throws RefusalError 400 for a request of HTTP/1.1 without `Host`, and for several or a wrong one (RFC 9112 §3.2), 417 for an expectation that nobody
 * meets (RFC 9110 §10.1.1).
 */
function refuseWhatNodeWould({ headers, httpVersion, rawHeaders }: Request): void {
  const { expect, host } = headers;
  const isMissing = httpVersion === "1.1" && host === undefined;
  const message = isMissing ? "The request names no host: send a Host header." : hostHeaderFault(rawHeaders);
  if (message !== undefined)
    throw new RefusalError({ code: "malformed-request", message }, { Connection: "close" });
  if (expect !== undefined && expect.toLowerCase() !== "100-continue")
    throw new RefusalError({
      code: "expectation-failed",
      message: "No expectation but 100-continue can be met.",
    });
}

/** The audit service reads the address by itself, so nothing is cut from it. */
function mountAudit(app: express.Express, audit: NonNullable<GatewayOptions["audit"]>): void {
  app.all(["/audit", "/audit/{*path}"], (request: Request, response: GatewayResponse) => {
    response.setHeader("X-Request-Id", response.locals.context.requestId);
    audit(request, response);
  });
}

/** What every operation goes through before and around its own call. */
function pipelineOf({
  account: accounts,
  callers,
  idempotency: requests,
  instanceId: owner,
  requestTimeoutMs,
  requestsPerMinute: perMinute,
  trustedProxies,
  sharedCounts,
}: GatewayOptions): Pipeline {
  const outgoing = createOutgoing(callers, ["account", "domain", "server", "support"]);
  const callerOf = createCallerOf(outgoing, requestTimeoutMs);
  const authenticate = createAuthentication({
    accounts,
    outgoing,
    requestTimeoutMs,
    ...defined({ trustedProxies }),
  });
  return {
    admit: createAdmission(
      authenticate,
      perMinute === 0 ? undefined : { perMinute, ...defined({ trustedProxies, sharedCounts }) },
    ),
    callerOf,
    answerOnce: createIdempotency({ requests, callerOf, owner }),
  };
}
