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
import { notAvailableText } from "@hostledger/personal-data";
import type { account } from "@hostledger/protocol";
import { rejectionError, requireAccount, validated, type WithContextValues } from "@hostledger/rpc";

import { commandContext } from "../account-commands.ts";
import type { RequestDependencies } from "../dependencies.ts";
import { requestIdOf } from "../request-claims.ts";

type IdempotencyHandlers = ServiceImpl<typeof account.IdempotencyService>;
type BeginAnswer = MessageInitShape<typeof account.BeginRequestResponseSchema>;

const maximumOwnerLength = 200;
const maximumOperationIdLength = 128;

/**
 * Remembers the requests that carry an `Idempotency-Key` (contract, "Conventions"), for the gateway, on behalf of the customer
 * whose key it is.
 *
 * A request that was begun and not answered is given out again, under the operation it had, to its own owner, and to another one
 * once its owner is dead. So an owner asks only for what it is not running: which of its requests are under
 * way, it knows itself, in memory.
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
      if (!answered.accepted) throw rejectionError(answered.rejection);
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
      if (!released.accepted) throw rejectionError(released.rejection);
      return {};
    },
  };
}

/** A customer's request, as the process says that wants to run it. */
interface Asking {
  readonly fingerprint: string;
  readonly owner: string;
}

/**
 * Tells whether the key is free, or takes it over from a dead owner, or tells the outcome. A free key is claimed by the
 * service that is about to have an effect, under the operation that is named here.
 * @throws ConnectError why not.
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
  // Its own request: the owner would not ask if it still ran it, so it gets the same operation again.
  if (state.status === "answered" || state.owner === owner) return answerOf(state);
  if (!isAbandoned(state, dependencies)) throw rejectionError(rejection("request-in-progress"));
  const { operationId, owner: from } = state;
  const taken = await requests.execute(
    requestAggregate,
    id,
    { type: "TakeOverRequest", data: { fingerprint, operationId, from, owner, at: clock.now() } },
    commandContext(context, `take-over/${newId}`),
  );
  if (!taken.accepted) throw rejectionError(taken.rejection);
  return answerOf(taken.state);
}

/** True when nobody runs the request any more: its owner is dead, for as long as it takes to be sure. */
function isAbandoned(
  { owner, ownedSince }: RunningRequest,
  { clock, isAlive, takeOverAfterMs }: RequestDependencies,
): boolean {
  if (isAlive(owner)) return false;
  // A clock that was set back since must not lend a dead owner time.
  const ownedMs = Math.max(0, clock.epochMilliseconds() - Date.parse(ownedSince));
  return ownedMs >= takeOverAfterMs;
}

/** What whoever asks for a key that is taken is to do. */
function answerOf(state: RequestState): BeginAnswer {
  if (state.status === "free") throw new Error("a request was given out, but its key is free");
  const { operationId } = state;
  if (state.status === "running") return { operationId, resumed: true };
  if (state.outcome.body === notAvailableText) throw unreadableAnswer(state.outcome.status);
  return { operationId, outcome: state.outcome };
}

/** The key of the customer's texts is missing, so that nobody can tell whether this is the same request. */
const unreadableRequest = rejection(
  "temporarily-unavailable",
  "What the first request with this Idempotency-Key asked for cannot be read at present: read the resource, or use another key.",
);

/** The key of the customer's texts is missing, so that the answer's words do not open: what was done is not done again. */
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
  // JSON text has no such characters, and each would take six bytes in the stored event.
  if (!body.isWellFormed() || notInJson.test(body)) return unparsable("must have JSON text as its body");
  return parsed({ status, body });
}

/** Control characters that JSON text has only in escaped form (RFC 8259 §7). */
const notInJson = /[\0-\x08\x0b\x0c\x0e-\x1f]/;
