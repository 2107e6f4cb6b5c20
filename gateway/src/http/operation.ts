import type { CallOptions } from "@connectrpc/connect";
import type { ApiKeyScope } from "@hostledger/rpc";
import { z } from "zod";

import type { Answer } from "./answer.ts";
import type { RawRequest } from "./explanation.ts";
import type { Rejection } from "./rejection.ts";
import { invalidRequest } from "./validation.ts";

/** Where the API lives; the version is part of it (specification §9). */
export const apiPrefix = "/api/v1";

/** The methods of the API. */
export type Method = "get" | "post" | "put" | "delete";

/** The parts of a request that an operation reads, each with its schema. Parts not named are not even parsed. */
export type RequestShape = Readonly<Partial<Record<"params" | "query" | "body", z.ZodObject>>>;

/** What an API key is allowed; null for everything. */
export type HeldScopes = readonly string[] | null;

/** Who calls, and what every call to a service on behalf of the caller carries. */
export interface Caller {
  readonly accountId: bigint;
  /** What its API key is allowed. */
  readonly scopes: HeldScopes;
  /** Caller token, request id and time limit; the operation's id when the request has an `Idempotency-Key`. */
  readonly call: CallOptions;
  /** The request repeats an interrupted one, which may have done something. */
  readonly isResumed: boolean;
  /** The same caller, whose write is for a revision; `repeat` for one that may add nothing new. */
  basedOn(ifRevision: string): Caller;
}

/** The group in which the documents show an operation. */
export type OperationTag =
  | "Account"
  | "Billing"
  | "Catalogue"
  | "DNS"
  | "Domains"
  | "Keys"
  | "Servers"
  | "Tickets"
  | "Webhooks";

/** One operation of the REST API as data: what routing, validation, the documents and generated tests are made from. */
interface OperationContract<Shape extends RequestShape> {
  /** Names the operation in the documents and in generated clients: `registerDomain`. */
  readonly id: string;
  readonly tag: OperationTag;
  /** An API key with any of these may call it; a refusal names the first. The reads of a resource have those of its writes. */
  readonly scopes: readonly [ApiKeyScope, ...ApiKeyScope[]];
  readonly method: Method;
  /** Path below the prefix, in OpenAPI's notation: `/domains/{domain}`. */
  readonly path: string;
  readonly summary: string;
  /** What the summary does not say. */
  readonly description?: string;
  readonly request: Shape;
  /** Schema of the body of each successful status. */
  readonly responses: Readonly<Record<number, z.ZodType>>;
  /** The sentence of its success, as the document shows it; for operations whose answers have a `message`. */
  readonly exampleMessage?: string;
  /**
   * Member of the answer that is a secret. It is shown once: no answer with it is kept, and under an `Idempotency-Key` the
   * repeated answer has null there, for the same API key alone.
   */
  readonly secret?: string;
  /** True where the answer brings an `ETag` that stands for what can be changed of it: it is always sent whole. */
  readonly hasOwnTag?: boolean;
  /** The path whose GET has the tag that a condition of this write names. Default: its own. */
  readonly conditionPath?: string;
  /** Media type of those bodies where it is not JSON: the answers are files. */
  readonly media?: string;
  /** The refusals of this operation's own, besides those that every operation has (`commonRefusals`). */
  readonly refusals: readonly Rejection["code"][];
}

/** One operation of the REST API: its contract as data, and the call it makes. */
interface OperationDefinition<Shape extends RequestShape> extends OperationContract<Shape> {
  /** Calls a service and shows what it said. Throws what the service threw. */
  readonly handle: (request: z.output<z.ZodObject<Shape>>, caller: Caller) => Promise<Answer>;
  /** Reads the revision that a write is for, where it takes `If-Match` and `If-None-Match`. */
  readonly revisionOf?: (request: z.output<z.ZodObject<Shape>>, caller: Caller) => Promise<bigint>;
}

/** A request whose form is right, ready to be run. Throws what the service threw. */
export type ValidRequest = (caller: Caller) => Promise<Answer>;

/** A request whose form is right, and the revision that it is for where it takes a condition. */
export interface Validated {
  readonly run: ValidRequest;
  readonly revision: ((caller: Caller) => Promise<bigint>) | undefined;
}

/** An operation of the table, whatever the shape of its request. */
export interface Operation extends OperationContract<RequestShape> {
  /** Checks the form of a request, which asks no service. @throws RefusalError 404 or 422 */
  validate(raw: RawRequest): Validated;
  /** It takes `If-Match` and `If-None-Match`. */
  readonly isConditional: boolean;
}

/** Puts an operation into the table: its schemas become one, made once. */
export function operation<const Shape extends RequestShape>(
  definition: OperationDefinition<Shape>,
): Operation {
  const { handle, revisionOf, ...contract } = definition;
  const schema = z.object(definition.request);
  const { body } = definition.request;
  const nullsAbsent = body === undefined ? undefined : fieldsAbsentWhenNull(body);
  return {
    ...contract,
    ...(body !== undefined &&
      nullsAbsent !== undefined && {
        request: { ...definition.request, body: described(body, nullsAbsent) },
      }),
    isConditional: revisionOf !== undefined,
    validate(raw) {
      const result = schema.safeParse(
        nullsAbsent === undefined ? raw : { ...raw, body: withoutNulls(raw.body, nullsAbsent) },
      );
      if (!result.success) throw invalidRequest(result.error.issues, raw);
      return {
        run: (caller) => handle(result.data, caller),
        revision: revisionOf && ((caller) => revisionOf(result.data, caller)),
      };
    },
  };
}

/** The fields that may be left out and give null no meaning of their own: null means there that they are left out. */
function fieldsAbsentWhenNull({ shape }: z.ZodObject): ReadonlySet<string> {
  const isAbsent = (field: z.core.$ZodType): boolean =>
    z.safeParse(field, undefined).success && !z.safeParse(field, null).success;
  const fields = Object.entries<z.core.$ZodType>(shape);
  return new Set(fields.filter(([, field]) => isAbsent(field)).map(([name]) => name));
}

function withoutNulls(body: unknown, fields: ReadonlySet<string>): unknown {
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== null || !fields.has(name)),
  );
}

/** The body as the document shows it: null is allowed where it means that the field is left out. */
function described(body: z.ZodObject, fields: ReadonlySet<string>): z.ZodObject {
  const shape = Object.entries<z.core.$ZodType>(body.shape).map(
    ([name, field]) => [name, fields.has(name) ? z.nullable(field) : field] as const,
  );
  const shown = z.object(Object.fromEntries(shape));
  const meta = body.meta();
  return meta === undefined ? shown : shown.meta(meta);
}

/** True where the contract promises the `Idempotency-Key`: on every POST and PUT. */
export function takesIdempotencyKey({ method }: Pick<Operation, "method">): boolean {
  return method === "post" || method === "put";
}

/** True where an answer can be asked for again with its entity tag: on every GET of JSON that holds no secret. */
export function hasEntityTag({ method, media, secret, hasOwnTag }: Operation): boolean {
  return method === "get" && media === undefined && secret === undefined && hasOwnTag !== true;
}

/**
 * The refusals that any request for an operation may meet, whatever it does: they are in the documents of every
 * operation of whose parts they speak.
 */
export function commonRefusals(
  operation: Pick<Operation, "method" | "request" | "isConditional">,
): readonly Rejection["code"][] {
  const { params, query, body } = operation.request;
  const codes: Rejection["code"][] = [
    "unauthenticated",
    "missing-scope",
    "address-not-allowed",
    "account-not-open",
    "rate-limited",
    "internal",
    "overloaded",
    "temporarily-unavailable",
    "record-unreadable",
    "deadline-exceeded",
  ];
  if (params !== undefined) codes.push("not-found", "unauthorized");
  if (query !== undefined || body !== undefined) codes.push("validation-failed");
  if (operation.isConditional) codes.push("precondition-failed");
  if (operation.method !== "get")
    codes.push("malformed-request", "unsupported-media-type", "payload-too-large", "store-rewound");
  if (takesIdempotencyKey(operation)) {
    codes.push("validation-failed", "idempotency-conflict", "request-in-progress");
  }
  return [...new Set(codes)];
}
