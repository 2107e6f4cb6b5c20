import type { Express, Request } from "express";

import { send } from "./answer.ts";
import type { Authenticate } from "./authentication.ts";
import type { GatewayResponse } from "./exchange.ts";
import { readJsonObject } from "./json-body.ts";
import type { Operation } from "./operation.ts";
import { RefusalError } from "./refusal.ts";

/** Puts the table of operations on the app, and on each path an answer to the methods it does not have. */
export function mount(
  app: Express,
  prefix: string,
  operations: readonly Operation[],
  authenticate: Authenticate,
): void {
  const byPath = [...Map.groupBy(operations, ({ path }) => path)];
  // The router tries paths in order. "{" sorts behind every letter, so /domains/search comes before /domains/{domain}.
  for (const [path, sharing] of byPath.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const route = app.route(prefix + path.replaceAll(/\{(\w+)\}/g, ":$1"));
    for (const operation of sharing) route[operation.method](endpoint(operation, authenticate));
    route.all(
      otherMethods(
        path,
        sharing.map(({ method }) => method.toUpperCase()),
      ),
    );
  }
}

/** Authentication, then the request's parts, then the operation: the contract's order of checks. */
function endpoint(operation: Operation, authenticate: Authenticate) {
  const reads = operation.request;
  return async (request: Request, response: GatewayResponse): Promise<void> => {
    const { exchange } = response.locals;
    exchange.route = operation.path;
    const caller = await authenticate(request.headers.authorization, exchange.requestId);
    exchange.accountId = caller.accountId;
    const raw = {
      params: request.params,
      query: reads.query && request.query,
      body: reads.body && (await readJsonObject(request, response)),
    };
    send(response, exchange.requestId, await operation.answer(raw, caller));
  };
}

/** 405 with `Allow` (RFC 9110 §15.5.6), and an answer to OPTIONS. Express answers HEAD with GET's handler. */
export function otherMethods(path: string, methods: readonly string[]) {
  const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted();
  const headers = { Allow: allowed.join(", ") };
  const message = `This path does not answer the method; it answers ${allowed.join(", ")}.`;
  return (request: Request, response: GatewayResponse): void => {
    const { exchange } = response.locals;
    exchange.route = path;
    if (request.method !== "OPTIONS")
      throw new RefusalError({ code: "method-not-allowed", message }, headers);
    send(response, exchange.requestId, { status: 204, headers });
  };
}
