import type { Client } from "@connectrpc/connect";
import type { account, domain } from "@hostledger/protocol";
import { createOutgoing, restCode, type CallerTokens } from "@hostledger/rpc";
import type { Ids, Metrics } from "@hostledger/runtime";
import express, { type NextFunction, type Request } from "express";

import { send } from "./http/answer.ts";
import { createAuthentication } from "./http/authentication.ts";
import { beginExchange, type GatewayResponse } from "./http/exchange.ts";
import { mount } from "./http/mount.ts";
import type { Operation } from "./http/operation.ts";
import { answerTo, RefusalError } from "./http/refusal.ts";
import { createRequestLog, type GatewayLogger } from "./http/request-log.ts";
import { billingRoutes } from "./routes/billing.routes.ts";
import { domainRoutes } from "./routes/domains.routes.ts";
import { mountHealth, type Readiness } from "./routes/health.routes.ts";

/** Where the API lives; the version is part of it (specification §9). */
export const apiPrefix = "/api/v1";

/** The services behind the gateway. */
export interface GatewayClients {
  readonly account: Client<typeof account.AccountService>;
  readonly domain: Client<typeof domain.DomainService>;
}

/** What the gateway is made of. */
export interface GatewayOptions extends GatewayClients {
  /** Issues the tokens under which the gateway calls, for itself and for its callers. */
  readonly callers: CallerTokens;
  readonly logger: GatewayLogger;
  readonly ids: Pick<Ids, "requestId">;
  /** Where the time of every request is measured. */
  readonly metrics?: Pick<Metrics, "histogram">;
  /** Asked on every `GET /readyz`. */
  readonly readiness: () => Promise<Readiness>;
  /** Time limit of every call to a service, in milliseconds. */
  readonly requestTimeoutMs: number;
}

/** The table of everything the REST API can do. */
export function operationsOf({ account, domain }: GatewayClients): readonly Operation[] {
  return [...domainRoutes(domain), ...billingRoutes(account)];
}

/** Builds the REST API as an Express app. It holds no state and no business rule. */
export function createGateway(options: GatewayOptions): express.Express {
  const { account: accounts, callers, ids, logger, metrics, readiness, requestTimeoutMs } = options;
  const authenticate = createAuthentication({
    accounts,
    outgoing: createOutgoing(callers),
    requestTimeoutMs,
  });
  const log = createRequestLog(logger, metrics);

  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", "simple");
  // Should our own error handler ever break, Express's last resort shows no stack trace.
  app.set("env", "production");

  app.use((request: Request, response: GatewayResponse, next: NextFunction) => {
    response.locals.exchange = beginExchange(request, ids);
    response.once("close", () => {
      log(request, response);
    });
    next();
  });
  mount(app, apiPrefix, operationsOf(options), authenticate);
  mountHealth(app, readiness);
  app.use(() => {
    throw new RefusalError({ code: "not-found", message: "There is no such path." });
  });
  app.use((error: unknown, _request: Request, response: GatewayResponse, next: NextFunction) => {
    const { exchange } = response.locals;
    const { answer, rejection } = answerTo(error);
    exchange.code = restCode(rejection.code);
    exchange.cause = error;
    // Half an answer cannot be taken back; Express then breaks the connection, which says that it is not whole.
    if (response.headersSent) next(error);
    else send(response, exchange.requestId, answer);
  });
  return app;
}
