import { defined } from "@hostledger/runtime";
import type { Express, Request } from "express";

import type { Admission } from "./admission.ts";
import { type Answer, send, stream } from "./answer.ts";
import type { CallerOf, Customer } from "./caller.ts";
import { preconditionIn, revalidated, runIf } from "./conditional-requests.ts";
import type { GatewayContext, GatewayResponse } from "./gateway-context.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { type AnswerOnce, idempotencyKeyIn } from "./idempotency.ts";
import { readJsonObject } from "./json-body.ts";
import { explained, type RawRequest } from "./explanation.ts";
import {
  hasEntityTag,
  type Operation,
  takesIdempotencyKey,
  type Validated,
  type ValidRequest,
} from "./operation.ts";
import { customersRejectionOf, RefusalError } from "./refusal.ts";
import { requireScope } from "./scopes.ts";

/** Steps shared by all operations. */
export interface Pipeline {
  readonly admit: Admission;
  readonly callerOf: CallerOf;
  readonly answerOnce: AnswerOnce;
}

/** Registers all operations on the app, and a 405 for the other methods of each path. */
export function mount(
  app: Express,
  prefix: string,
  operations: readonly Operation[],
  pipeline: Pipeline,
): void {
  const byPath = [...Map.groupBy(operations, ({ path }) => path)];
  const readOf = ({ isConditional, path, conditionPath = path }: Operation): Operation | undefined =>
    isConditional ? operations.find((one) => one.method === "get" && one.path === conditionPath) : undefined;
  // The router tries paths in order. "{" sorts after letters, so /domains/search precedes /domains/{domain}. The
  // appended "~"
  // sorts last, so /invoices/{invoice}.pdf precedes /invoices/{invoice}.
  for (const [path, sharing] of byPath.toSorted(([a], [b]) => (`${a}~` < `${b}~` ? -1 : 1))) {
    const route = app.route(prefix + path.replaceAll(/\{(\w+)\}/g, ":$1"));
    for (const operation of sharing)
      route[operation.method](endpoint(operation, pipeline, readOf(operation)));
    route.all(
      otherMethods(
        path,
        sharing.map(({ method }) => method.toUpperCase()),
      ),
    );
  }
}

/** Checks in the contract's order: admission, parts, condition, operation. @param read GET of a conditional write */
function endpoint(operation: Operation, pipeline: Pipeline, read: Operation | undefined) {
  return async (request: Request, response: GatewayResponse): Promise<void> => {
    const { context } = response.locals;
    context.route = operation.path;
    const answer = await answerOf(operation, pipeline, { request, context, read });
    if (answer.rest === undefined) send(response, answer);
    else await stream(response, answer, answer.rest);
  };
}

interface CallContext {
  readonly request: Request;
  readonly context: GatewayContext;
  readonly read: Operation | undefined;
}

async function answerOf(
  operation: Operation,
  { admit, callerOf, answerOnce }: Pipeline,
  { request, context, read }: CallContext,
): Promise<Answer> {
  const customer = await admit(request, context);
  context.accountId = customer.accountId;
  requireScope(customer.scopes, operation);
  const { method, path, request: reads } = operation;
  const key = takesIdempotencyKey(operation) ? idempotencyKeyIn(request.headers) : undefined;
  const { params } = request;
  // Only GET ignores bodies. Other methods check the body even if the operation reads none: type and size rules apply,
  // and the fingerprint contains the body.
  const body = method === "get" ? undefined : await readJsonObject(request);
  const raw = { params, query: reads.query && request.query, body };
  const valid = operation.validate(raw);
  const run = explaining(conditional(valid, { request, customer, read }), raw);
  if (key === undefined) {
    const answer = await run(callerOf(customer, context));
    return hasEntityTag(operation) ? revalidated(answer, customer, request.headers["if-none-match"]) : answer;
  }
  const shownTo = operation.secret !== undefined ? { keyId: customer.keyId } : {};
  const fingerprint = fingerprintOf({ method, path, params: { ...params, ...shownTo }, body });
  return answerOnce({ customer, context, key, fingerprint, run, ...defined({ secret: operation.secret }) });
}

/** Wraps a request so that its refusals name the sent values. */
function explaining(run: ValidRequest, raw: RawRequest): ValidRequest {
  return async (caller) => {
    try {
      return await run(caller);
    } catch (error) {
      const rejection = customersRejectionOf(error);
      const headers = error instanceof RefusalError ? error.headers : {};
      const better = explained(rejection, raw);
      throw better === rejection ? error : new RefusalError(better, headers);
    }
  };
}

/** Returns the write, or the write under the condition of its headers. */
function conditional(
  { run, revision }: Validated,
  { request, customer, read }: Pick<CallContext, "request" | "read"> & { readonly customer: Customer },
): ValidRequest {
  const condition = preconditionIn(request.headers);
  if (condition === undefined || read === undefined || revision === undefined) return run;
  const { run: shown } = read.validate({ params: request.params });
  const tagOf = (answer: Answer): string | undefined =>
    answer.headers?.ETag ?? revalidated(answer, customer, undefined).tag;
  return runIf(condition, { revision, read: shown, tagOf }, run);
}

/** Answers 405 with `Allow` (RFC 9110 §15.5.6), and OPTIONS. Express answers HEAD with the GET handler. */
export function otherMethods(path: string, methods: readonly string[]) {
  const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted();
  const headers = { Allow: allowed.join(", ") };
  const message = `This path does not support the method; it supports ${allowed.join(", ")}.`;
  return (request: Request, response: GatewayResponse): void => {
    const { context } = response.locals;
    context.route = path;
    if (request.method !== "OPTIONS")
      throw new RefusalError({ code: "method-not-allowed", message }, headers);
    send(response, { status: 204, headers });
  };
}
