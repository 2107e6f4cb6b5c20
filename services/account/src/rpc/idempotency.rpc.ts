import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  requestAggregate,
  outcomeLimits,
  parseLine,
  parsed,
  rejection,
  unparsable,
  type Parsed,
  type RequestOutcome,
  type RequestState,
  type RunningRequest,
} from "@hostledger/core";
import { notAvailableText } from "@hostledger/store/personal-data";
import type { account } from "@hostledger/protocol";
import {
  rejectionError,
  requireAccount,
  validated,
  requireAccepted,
  type WithContextValues,
} from "@hostledger/rpc";

import { commandContext } from "../account-commands.ts";
import type { RequestDependencies } from "../dependencies.ts";
import { requestIdOf } from "../request-claims.ts";

type IdempotencyHandlers = ServiceImpl<typeof account.IdempotencyService>;
type BeginAnswer = MessageInitShape<typeof account.BeginRequestResponseSchema>;

const maximumOwnerLength = 200;
const maximumOperationIdLength = 128;

/**
 * Handles requests with an `Idempotency-Key` (contract, "Conventions") for the gateway, on behalf of the customer.
 *
 * An unanswered request is given to its own owner again, with its operation id, and to another owner if its owner is
 * dead. The gateway knows its running requests in memory, so an owner never asks for a request that it still runs.
 */
export function idempotencyRpc(dependencies: RequestDependencies): IdempotencyHandlers {
  const { clock } = dependencies;
  return {
    async beginRequest(request, context) {
      const { accountId } = requireAccount(context);
      const { key, ...fields } = validated({
        key: parseKey(request.key),
        fingerprint: parseFingerprint(request.fingerprint),
        owner: parseLine(request.owner, maximumOwnerLength),
      });
      return begin(dependencies, requestIdOf(accountId, key), fields, context);
    },

    async completeRequest(request, context) {
      const { accountId } = requireAccount(context);
      const { key, operationId, outcome } = validated({
        key: parseKey(request.key),
        operationId: parseLine(request.operationId, maximumOperationIdLength),
        outcome: parseOutcome(request.outcome),
      });
      const data = { operationId, accountId, ...outcome, at: clock.now() };
      const answered = await dependencies.requests.execute(
        requestAggregate,
        requestIdOf(accountId, key),
        { type: "AnswerRequest", data },
        commandContext(context, `answer/${operationId}`),
      );
      requireAccepted(answered);
      return {};
    },

    async releaseRequest(request, context) {
      const { accountId } = requireAccount(context);
      const { key, operationId } = validated({
        key: parseKey(request.key),
        operationId: parseLine(request.operationId, maximumOperationIdLength),
      });
      const released = await dependencies.requests.execute(
        requestAggregate,
        requestIdOf(accountId, key),
        { type: "ReleaseRequest", data: { operationId, at: clock.now() } },
        commandContext(context, `release/${operationId}`),
      );
      requireAccepted(released);
      return {};
    },
  };
}

interface Asking {
  readonly fingerprint: string;
  readonly owner: string;
}

/**
 * Returns a new operation id if the key is free, takes over a dead owner's request, or returns the outcome. The service
 * with the first effect claims a free key with the operation id.
 * @throws ConnectError if the key is in use or belongs to another request.
 */
async function begin(
  dependencies: RequestDependencies,
  id: string,
  { fingerprint, owner }: Asking,
  context: WithContextValues,
): Promise<BeginAnswer> {
  const { requests, clock, ids } = dependencies;
  const { state } = await requests.load(requestAggregate, id);
  const newId = ids.uuid();
  if (state.status === "free") return { operationId: newId };
  if (state.fingerprint === notAvailableText) throw rejectionError(unreadableRequest);
  if (state.fingerprint !== fingerprint) throw rejectionError(rejection("idempotency-conflict"));
  // The owner no longer runs the request, because it asks again; it gets the same operation.
  if (state.status === "answered" || state.owner === owner) return answerOf(state);
  if (!isAbandoned(state, dependencies)) throw rejectionError(rejection("request-in-progress"));
  const { operationId, owner: from } = state;
  const taken = await requests.execute(
    requestAggregate,
    id,
    { type: "TakeOverRequest", data: { fingerprint, operationId, from, owner, at: clock.now() } },
    commandContext(context, `take-over/${newId}`),
  );
  requireAccepted(taken);
  return answerOf(taken.state);
}

/** Returns true if the owner has been dead long enough to be certain. */
function isAbandoned(
  { owner, ownedSince }: RunningRequest,
  { clock, isAlive, takeOverAfterMs }: RequestDependencies,
): boolean {
  if (isAlive(owner)) return false;
  // A clock set back must not extend a dead owner's time.
  const ownedMs = Math.max(0, clock.epochMilliseconds() - Date.parse(ownedSince));
  return ownedMs >= takeOverAfterMs;
}

/** Returns the answer for a key in use. */
function answerOf(state: RequestState): BeginAnswer {
  if (state.status === "free") throw new Error("a request was given out, but its key is free");
  const { operationId } = state;
  if (state.status === "running") return { operationId, resumed: true };
  if (state.outcome.body === notAvailableText) throw unreadableAnswer(state.outcome.status);
  return { operationId, outcome: state.outcome };
}

/** Refusal if the request cannot be compared because the key of the customer's texts is missing. */
const unreadableRequest = rejection(
  "temporarily-unavailable",
  "The first request with this Idempotency-Key cannot be read at present: read the resource, or use another key.",
);

/** Returns the refusal of a repeat whose stored answer cannot be decrypted; the request is not run again. */
function unreadableAnswer(status: number): Error {
  const sentence = `The request was carried out and answered ${String(status)}, but its answer cannot be read at present: read the resource.`;
  return rejectionError(rejection("temporarily-unavailable", sentence));
}

function parseKey(key: string): Parsed<string> {
  return /^[\x21-\x7e]{1,255}$/.test(key)
    ? parsed(key)
    : unparsable("must be 1 to 255 visible ASCII characters");
}

function parseFingerprint(fingerprint: string): Parsed<string> {
  return /^[0-9a-f]{64}$/.test(fingerprint) ? parsed(fingerprint) : unparsable("must be a SHA-256 in hex");
}

function parseOutcome(outcome: { status: number; body: string } | undefined): Parsed<RequestOutcome> {
  if (outcome === undefined) return unparsable("must be there");
  const { status, body } = outcome;
  const { leastStatus, greatestStatus, bodyBytes } = outcomeLimits;
  if (!Number.isInteger(status) || status < leastStatus || status > greatestStatus)
    return unparsable("must have an HTTP status of 100 to 599");
  if (Buffer.byteLength(body) > bodyBytes) return unparsable("must have a body of at most 256 KiB");
  // JSON text contains no such characters, and each would need six bytes in the stored event.
  if (!body.isWellFormed() || notInJson.test(body)) return unparsable("must have JSON text as its body");
  return parsed({ status, body });
}

/** Control characters that JSON text contains only escaped (RFC 8259 §7). */
const notInJson = /[\0-\x08\x0b\x0c\x0e-\x1f]/;
