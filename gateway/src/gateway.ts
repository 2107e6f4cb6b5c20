import type { IncomingMessage, ServerResponse } from "node:http";

import type { Client } from "@connectrpc/connect";
import type { account } from "@hostledger/protocol";
import { type CallerTokens, createOutgoing, restCode } from "@hostledger/rpc";
import { defined, hostHeaderFault, type Ids, type Metrics, type Tracing } from "@hostledger/runtime";
import express, { type NextFunction, type Request } from "express";

import { createAdmission } from "./http/admission.ts";
import { send } from "./http/answer.ts";
import { apiPrefix, type OperationServices } from "./http/operation.ts";
import { createAuthentication } from "./http/authentication.ts";
import { createCallerOf } from "./http/caller.ts";
import { beginContext, type GatewayResponse } from "./http/gateway-context.ts";
import { createIdempotency } from "./http/idempotency.ts";
import { mount, type Pipeline } from "./http/mount.ts";
import { answerTo, RefusalError } from "./http/refusal.ts";
import { createRequestLog, type GatewayLogger, traceRequest } from "./http/request-log.ts";
import { operations } from "./operations.ts";
import { mountAcme } from "./resources/acme/acme.ts";
import { mountDocs, mountHome } from "./resources/documentation/documentation.ts";
import type { SharedCounts } from "./http/shared-counts.ts";
import { mountPaymentNotices } from "./resources/payment-notices/payment-notices.ts";
import { mountHealth, type Readiness } from "./resources/health/health.ts";

export { apiPrefix } from "./http/operation.ts";

export interface GatewayOptions extends Pick<
  OperationServices,
  "catalogue" | "documents" | "payments" | "proofs" | "support"
> {
  readonly account: OperationServices["accounts"];
  readonly domain: OperationServices["domains"];
  readonly server: OperationServices["servers"];
  /** Reads webhooks of payment providers. */
  readonly paymentNotices: Client<typeof account.PaymentNoticeService>;
  /** Stores the outcomes of requests with an `Idempotency-Key`. */
  readonly idempotency: Client<typeof account.IdempotencyService>;
  /** Names this process as the owner of requests with an `Idempotency-Key`. */
  readonly instanceId: string;
  /** Issues the tokens that the gateway sends to services, for itself and for its callers. */
  readonly callers: CallerTokens;
  readonly logger: GatewayLogger;
  readonly ids: Pick<Ids, "requestId">;
  /** Records the duration of every request; absent without metrics. */
  readonly metrics?: Pick<Metrics, "histogram">;
  /** Records a trace of every request; absent without a trace collector. */
  readonly tracing?: Tracing;
  /** Answers paths below `/audit`: the auditors' console, log and RPC. Absent if the audit service runs alone. */
  readonly audit?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called on every `GET /readyz`. */
  readonly readiness: () => Promise<Readiness>;
  /** Time limit of every call to a service, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Limit per minute for requests of a key, and for failed authentications of an address or key prefix; 0: none. */
  readonly requestsPerMinute: number;
  /** Networks (CIDR) of the proxies whose `X-Forwarded-For` the gateway trusts; none if absent. */
  readonly trustedProxies?: readonly string[];
  /** Request counts that several gateways share; without them each gateway counts alone. */
  readonly sharedCounts?: SharedCounts;
}

export type WaitingGatewayOptions = Pick<GatewayOptions, "ids" | "logger" | "readiness">;

/** Builds the REST API as an Express app, without state and without business rules. */
export function createGateway(options: GatewayOptions): express.Express {
  const { audit, readiness } = options;
  return createApp(options, (app) => {
    const pipeline = pipelineOf(options);
    mount(app, apiPrefix, operations, pipeline);
    mountAcme(app, pipeline);
    mountPaymentNotices(app, { ...options, outgoing: createOutgoing(options.callers) });
    mountDocs(app, operations);
    mountHealth(app, readiness);
    mountHome(app, { hasConsole: audit !== undefined });
    if (audit !== undefined) mountAudit(app, audit);
    app.use(() => {
      throw new RefusalError({ code: "not-found", message: "There is no such path." });
    });
  });
}

/** Builds the app that answers until the services have started: health checks as usual, everything else with 503. */
export function createWaitingGateway(options: WaitingGatewayOptions): express.Express {
  return createApp(options, (app) => {
    mountHealth(app, options.readiness);
    app.use(() => {
      const message = "The service is starting. Nothing was done; try again in a moment.";
      throw new RefusalError({ code: "temporarily-unavailable", message });
    });
  });
}

/** Creates an app that gives every request an id, a log line and an answer, also after an error. */
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
  // If our error handler itself throws, Express answers without a stack trace in "production".
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
    // The headers have left already, so a broken connection is the only sign of an error.
    if (response.headersSent) response.destroy();
    else send(response, answer);
  });
  return app;
}

/**
 * Refuses requests that Node would refuse itself, so that their answers have the API's failure body.
 * @throws RefusalError 400 for a missing, repeated or malformed `Host` (RFC 9112 §3.2), 417 for an unknown expectation
 * (RFC 9110 §10.1.1).
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
      message: "The server supports no expectation except 100-continue.",
    });
}

/** Mounts the audit service with full paths, because the service parses the paths itself. */
function mountAudit(app: express.Express, audit: NonNullable<GatewayOptions["audit"]>): void {
  app.all(["/audit", "/audit/{*path}"], (request: Request, response: GatewayResponse) => {
    response.setHeader("X-Request-Id", response.locals.context.requestId);
    audit(request, response);
  });
}

function pipelineOf({
  account: accounts,
  documents,
  proofs,
  payments,
  domain: domains,
  server: servers,
  catalogue,
  support,
  callers,
  idempotency: requests,
  instanceId: owner,
  requestTimeoutMs,
  requestsPerMinute: perMinute,
  trustedProxies,
  sharedCounts,
}: GatewayOptions): Pipeline {
  const outgoing = createOutgoing(callers);
  const callerOf = createCallerOf(outgoing, requestTimeoutMs, {
    accounts,
    domains,
    servers,
    catalogue,
    support,
    documents,
    ...defined({ proofs }),
    payments,
  });
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
