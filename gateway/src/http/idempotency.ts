import type { IncomingHttpHeaders } from "node:http";

import type { Client } from "@connectrpc/connect";
import type { account as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";

import type { Answer } from "./answer.ts";
import type { CallerOf, Customer } from "./caller.ts";
import type { GatewayContext } from "./gateway-context.ts";
import type { ValidRequest } from "./operation.ts";
import { outcomeRuleOf } from "./outcome-rule.ts";
import { answerTo, RefusalError } from "./refusal.ts";
import { invalidField } from "./validation.ts";

/** A request with an `Idempotency-Key`, whose form is right. */
export interface KeyedRequest {
  readonly customer: Customer;
  readonly context: GatewayContext;
  readonly key: string;
  readonly fingerprint: string;
  readonly run: ValidRequest;
  /** Member of the answer that is neither kept nor repeated. */
  readonly secret?: string;
}

/** Answers a request with a key: by running it, or with what it came to before. */
export type AnswerOnce = (request: KeyedRequest) => Promise<Answer>;

/** What keeping outcomes needs. */
export interface IdempotencyOptions {
  readonly requests: Client<typeof messages.IdempotencyService>;
  readonly callerOf: CallerOf;
  /** Names this process: a request that it began is its own to finish while it lives. */
  readonly owner: string;
}

/** The largest outcome that is kept, in bytes of UTF-8; the answers to POST and PUT are a hundredth of it. */
export const maximumOutcomeBytes = 256 * 1024;

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads the `Idempotency-Key`. A wrong one is 422 and not 400: the request can be read, one field of it breaks its rule, and
 * the answer names the field. @throws RefusalError 422
 */
export function idempotencyKeyIn(headers: IncomingHttpHeaders): string | undefined {
  // Two such headers arrive joined by a comma and a space, which is no key either.
  const key = headers["idempotency-key"];
  if (key === undefined || (typeof key === "string" && keyPattern.test(key))) return key;
  throw invalidField(
    "Idempotency-Key",
    "The header Idempotency-Key must be 1 to 255 visible ASCII characters.",
  );
}

/**
 * Keeps the contract's promise of the `Idempotency-Key` with the account service, which remembers keys and outcomes.
 *
 * The service that runs a request claims its key before the first effect, and the outcome is stored before it is answered; so at
 * every moment in between, a crash leaves a claimed key. A repeat then runs the request again under the same operation id, by which
 * every service recognises what it did already. A request that stored nothing, refused or not, leaves nothing, and is run again.
 */
export function createIdempotency({ requests, callerOf, owner }: IdempotencyOptions): AnswerOnce {
  /** The fingerprints of the requests that this process is running, by account and key. */
  const running = new Map<string, string>();

  async function answerOnce(request: KeyedRequest): Promise<Answer> {
    const { customer, context, key, fingerprint, run, secret } = request;
    const { call } = callerOf(customer, context);
    const { operationId, outcome, resumed } = await requests.beginRequest({ key, fingerprint, owner }, call);
    if (outcome !== undefined) {
      context.isReplayed = true;
      const { status, body } = outcome;
      // Earlier versions kept the secret too.
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
      // After an earlier run that did not end, even a plain "no" does not prove that nothing was done: that run may still be
      // under way. The claim stays, and with it the operation id by which the services know.
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

/** A refusal has no such member, and stays as it is. */
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
 * Waits until a key is given back. @throws `request-in-progress` in place of the refusal where another run of the request has the
 * key: what this one was refused for may be the other one's work, whose outcome the client is to have.
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

/**
 * Waits until what became of a key is stored. @throws what storing threw, and an internal error in place of a refusal:
 * whatever the account service has against it, the client's request was right and may be repeated.
 */
async function settled(storing: Promise<unknown>): Promise<void> {
  try {
    await storing;
  } catch (error) {
    if (answerTo(error).answer.status >= 500) throw error;
    throw new Error("what became of a request could not be stored", { cause: error });
  }
}
