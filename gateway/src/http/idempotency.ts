import type { IncomingHttpHeaders } from "node:http";

import type { Client } from "@connectrpc/connect";
import type { account as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import type { Answer } from "./answer.ts";
import type { CallerOf, Customer } from "./caller.ts";
import type { GatewayContext } from "./gateway-context.ts";
import type { ValidRequest } from "./operation.ts";
import { answerTo, RefusalError, type Rejection } from "./refusal.ts";
import { invalidField } from "./validation.ts";

/** A validated request with an `Idempotency-Key`. */
export interface KeyedRequest {
  readonly customer: Customer;
  readonly context: GatewayContext;
  readonly key: string;
  readonly fingerprint: string;
  readonly run: ValidRequest;
  /** Answer member that is neither stored nor repeated. */
  readonly secret?: string;
}

/** Answers a request with a key: runs the request, or repeats its stored outcome. */
export type AnswerOnce = (request: KeyedRequest) => Promise<Answer>;

export interface IdempotencyOptions {
  readonly requests: Client<typeof messages.IdempotencyService>;
  readonly callerOf: CallerOf;
  /** Names this process, which alone finishes its requests while it runs. */
  readonly owner: string;
}

/** Largest stored outcome, in bytes of UTF-8. Usual answers to POST and PUT are a hundredth of that. */
export const maximumOutcomeBytes = 256 * 1024;

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** Returns the `Idempotency-Key`. @throws RefusalError 422, whose answer names the header as the invalid field */
export function idempotencyKeyIn(headers: IncomingHttpHeaders): string | undefined {
  // Node joins two headers by ", ", which makes an invalid key.
  const key = headers["idempotency-key"];
  if (key === undefined || (typeof key === "string" && keyPattern.test(key))) return key;
  throw invalidField(
    "Idempotency-Key",
    "The header Idempotency-Key must be 1 to 255 visible ASCII characters.",
  );
}

/**
 * Implements the contract's `Idempotency-Key` with the account service, which stores keys and outcomes.
 *
 * The service that runs a request claims its key before the first effect; the gateway stores the outcome before
 * answering. After a crash in between, the key stays claimed. A repeat runs the request again with its operation id, so
 * services recognise finished work. A request that stored nothing leaves no claim.
 */
export function createIdempotency({ requests, callerOf, owner }: IdempotencyOptions): AnswerOnce {
  /** Fingerprints of running requests, by account and key. */
  const running = new Map<string, string>();

  async function answerOnce(request: KeyedRequest): Promise<Answer> {
    const { customer, context, key, fingerprint, run, secret } = request;
    const { call } = callerOf(customer, context);
    const { operationId, outcome, resumed } = await requests.beginRequest({ key, fingerprint, owner }, call);
    if (outcome !== undefined) {
      context.isReplayed = true;
      const { status, body } = outcome;
      // Outcomes stored by earlier versions may contain the secret.
      const text = secret === undefined ? body : outcomeText(withoutSecret(JSON.parse(body), secret));
      return { status, text, headers: { "Idempotency-Replayed": "true" } };
    }
    const store = async ({ status, body }: Answer): Promise<string> => {
      const text = outcomeText(body);
      const kept = secret === undefined ? text : outcomeText(withoutSecret(body, secret));
      await settled(requests.completeRequest({ key, operationId, outcome: { status, body: kept } }, call));
      return text;
    };

    let answer: Answer;
    try {
      answer = await run(
        callerOf(customer, context, {
          operationId,
          idempotencyKey: key,
          fingerprint,
          owner,
          isResumed: resumed,
        }),
      );
    } catch (error) {
      const refused = answerTo(error);
      const rule = outcomeRuleOf(refused.rejection);
      if (rule === "keep") await store(refused.answer);
      // An earlier interrupted run may still be working, so a refusal now does not prove that nothing happened. The key
      // stays claimed.
      else if (rule === "release" && !resumed)
        await released(requests.releaseRequest({ key, operationId }, call));
      throw error;
    }
    const { status, headers } = answer;
    return { status, text: await store(answer), ...defined({ headers }) };
  }

  return async (request) => {
    const name = `${String(request.customer.accountId)} ${request.key}`;
    const fingerprint = running.get(name);
    if (fingerprint !== undefined) throw refusalWhileRunning(fingerprint === request.fingerprint);
    running.set(name, request.fingerprint);
    try {
      return await answerOnce(request);
    } finally {
      running.delete(name);
    }
  };
}

function refusalWhileRunning(isSame: boolean): RefusalError {
  return isSame
    ? new RefusalError({
        code: "request-in-progress",
        message: "The first request with this Idempotency-Key is still running.",
        detail: { retryAfterSeconds: 1 },
      })
    : new RefusalError({
        code: "idempotency-conflict",
        message: "The Idempotency-Key was used with another request.",
      });
}

/** Replaces the secret member by null; refusals without the member stay unchanged. */
function withoutSecret(body: unknown, secret: string): unknown {
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, secret)) return body;
  return { ...body, [secret]: null };
}

function outcomeText(body: unknown): string {
  const text = JSON.stringify(body);
  const bytes = Buffer.byteLength(text);
  if (bytes <= maximumOutcomeBytes) return text;
  throw new Error(`the outcome of a request has ${String(bytes)} bytes, too many to be kept`);
}

/**
 * Waits until a key is released. @throws `request-in-progress` if another run has the key and may have caused the
 * refusal
 */
async function released(releasing: Promise<unknown>): Promise<void> {
  try {
    await settled(releasing);
  } catch (error) {
    const isOthers = error instanceof Error && isInProgress(error.cause);
    throw isOthers ? refusalWhileRunning(true) : error;
  }
}

function isInProgress(error: unknown): boolean {
  return error !== undefined && answerTo(error).rejection.code === "request-in-progress";
}

/** Waits until an outcome is stored. @throws an internal error for 4xx refusals, because the client's request was valid */
async function settled(storing: Promise<unknown>): Promise<void> {
  try {
    await storing;
  } catch (error) {
    if (answerTo(error).answer.status >= 500) throw error;
    throw new Error("what became of a request could not be stored", { cause: error });
  }
}

/**
 * Effect of a refusal on its `Idempotency-Key`.
 *
 * - `release`: the request had no effect; the key may be used again for any request.
 * - `keep`: the request had an effect that was undone; every repeat gets the stored refusal.
 * - `leave-open`: the effect is unknown. The key stays claimed; a repeat runs the operation again, and the services
 *   find their earlier work.
 */
type OutcomeRule = "release" | "keep" | "leave-open";

/** Returns the rule of a refusal; a service's `hadNoEffect` overrides the rule of the code. */
export function outcomeRuleOf({ code, detail }: Rejection): OutcomeRule {
  return detail?.hadNoEffect === true ? "release" : outcomeRule[code];
}

/** Default rule of every refusal code (contract, "Conventions"); a missing code does not compile. */
const outcomeRule: Readonly<Record<Rejection["code"], OutcomeRule>> = {
  "validation-failed": "release",
  "malformed-request": "release",
  "unsupported-media-type": "release",
  "payload-too-large": "release",
  "expectation-failed": "release",
  "precondition-failed": "release",
  "not-found": "release",
  "proof-pending": "release",
  "document-damaged": "release",
  "method-not-allowed": "release",
  unauthorized: "release",
  "missing-scope": "release",
  "address-not-allowed": "release",
  "approval-required": "release",
  "account-not-open": "release",
  "account-already-open": "release",
  "profile-incomplete": "release",
  "insufficient-balance": "release",
  "charge-conflict": "release",
  "reference-conflict": "release",
  "charge-not-found": "release",
  "api-key-not-found": "release",
  "too-many-api-keys": "release",
  "too-many-webhooks": "release",
  "url-not-allowed": "release",
  "unsupported-extension": "release",
  "domain-taken": "release",
  "domain-not-available": "release",
  "premium-name": "release",
  "registration-in-flight": "release",
  "registration-not-found": "release",
  "registrar-refused": "release",
  "change-in-flight": "release",
  "renewal-in-flight": "release",
  "domain-not-active": "release",
  "domain-not-renewable": "release",
  "not-restorable": "release",
  "custom-nameservers": "release",
  "zone-not-ready": "release",
  "protected-record": "release",
  "out-of-stock": "release",
  "plan-not-found": "release",
  "region-not-found": "release",
  "server-not-active": "release",
  "server-held": "release",
  "firewall-locked": "release",
  "protected-port": "release",
  "firewall-changed": "release",
  "order-not-found": "release",
  "order-completed": "release",
  "ticket-closed": "release",
  "idempotency-conflict": "release",
  "request-in-progress": "release",
  "run-not-found": "release",
  "run-not-parked": "release",
  "projection-not-found": "release",
  "rate-limited": "release",
  "quota-exceeded": "release",

  // Money was charged and refunded, unless the service reports no effect; a second run would charge again.
  "registrar-failed": "keep",
  // The payment is stored as failed, and a second run finds it.
  "payment-refused": "keep",
  "not-transferable": "keep",
  "invalid-auth-code": "keep",
  "compute-failed": "keep",

  // An unreachable provider may have carried out the call.
  "registrar-unavailable": "leave-open",
  "payment-unavailable": "leave-open",
  "dns-unavailable": "leave-open",
  "compute-unavailable": "leave-open",
  "deadline-exceeded": "leave-open",
  "audit-fault": "leave-open",
  internal: "leave-open",
  // A request may make several calls and only the last was refused. Repeating with the key is safe either way.
  overloaded: "leave-open",
  // The event store may have stored events without acknowledging them.
  "temporarily-unavailable": "leave-open",
  // Events of an earlier call of the request remain.
  "store-rewound": "leave-open",
  "record-unreadable": "leave-open",
  // The gateway's token expired during the request.
  unauthenticated: "leave-open",
};
