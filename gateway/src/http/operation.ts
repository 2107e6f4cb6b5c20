import type { CallOptions } from "@connectrpc/connect";
import type { ApiKeyScope } from "@hostledger/rpc";
import { z } from "zod";

import type { Answer } from "./answer.ts";
import type { RawRequest } from "./explanation.ts";
import type { Rejection } from "./rejection.ts";
import { invalidRequest } from "./validation.ts";

/** Prefix of all API paths, with the version (specification §9). */
export const apiPrefix = "/api/v1";

export type Method = "get" | "post" | "put" | "delete";

/** Schemas of the request parts that an operation reads. Other parts are not parsed. */
export type RequestShape = Readonly<Partial<Record<"params" | "query" | "body", z.ZodObject>>>;

/** Scopes of an API key; null means all. */
export type HeldScopes = readonly string[] | null;

/** The caller of a request, and the options of every call on its behalf. */
export interface Caller {
  readonly accountId: bigint;
  readonly scopes: HeldScopes;
  /** Caller token, request id and time limit; also the operation id if the request has an `Idempotency-Key`. */
  readonly call: CallOptions;
  /** True if the request repeats an interrupted run, which may have had effects. */
  readonly isResumed: boolean;
  /** Returns the same caller with an expected revision; `repeat` allows only work that an earlier run began. */
  basedOn(ifRevision: string): Caller;
}

/** Group of an operation in the documents. */
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

/** An operation of the REST API as data, for routing, validation, documents and generated tests. */
interface OperationContract<Shape extends RequestShape> {
  /** Name in the documents and generated clients, such as `registerDomain`. */
  readonly id: string;
  readonly tag: OperationTag;
  /** Scopes that each permit the operation; a refusal names the first. Reads also accept the scopes of writes. */
  readonly scopes: readonly [ApiKeyScope, ...ApiKeyScope[]];
  readonly method: Method;
  /** Path below the prefix in OpenAPI notation: `/domains/{domain}`. */
  readonly path: string;
  readonly summary: string;
  /** Details beyond the summary. */
  readonly description?: string;
  readonly request: Shape;
  /** Body schema by success status. */
  readonly responses: Readonly<Record<number, z.ZodType>>;
  /** Example of the answer's `message`, for the document. */
  readonly exampleMessage?: string;
  /** Secret member of the answer, shown once. It is not stored; a repeat of the request has null instead. */
  readonly secret?: string;
  /** True if the handler sets the `ETag` itself. Its answers are always sent in full. */
  readonly hasOwnTag?: boolean;
  /** Path whose GET has the tag for this write's condition. Default: the operation's own path. */
  readonly conditionPath?: string;
  /** Media type of the answers if they are files instead of JSON. */
  readonly media?: string;
  /** Refusals of this operation besides `commonRefusals`. */
  readonly refusals: readonly Rejection["code"][];
}

interface OperationDefinition<Shape extends RequestShape> extends OperationContract<Shape> {
  /** Calls a service and formats its answer. Throws the service's errors. */
  readonly handle: (request: z.output<z.ZodObject<Shape>>, caller: Caller) => Promise<Answer>;
  /** Reads the current revision; present if the operation accepts `If-Match` and `If-None-Match`. */
  readonly revisionOf?: (request: z.output<z.ZodObject<Shape>>, caller: Caller) => Promise<bigint>;
}

/** A validated request. Throws the service's errors. */
export type ValidRequest = (caller: Caller) => Promise<Answer>;

/** A validated request with the reader of its revision; `revision` is undefined if the operation takes no condition. */
export interface Validated {
  readonly run: ValidRequest;
  readonly revision: ((caller: Caller) => Promise<bigint>) | undefined;
}

/** An operation with its request type erased. */
export interface Operation extends OperationContract<RequestShape> {
  /** Validates a request without calling a service. @throws RefusalError 404 or 422 */
  validate(raw: RawRequest): Validated;
  /** True if the operation accepts `If-Match` and `If-None-Match`. */
  readonly isConditional: boolean;
}

/** Creates an operation and combines its schemas once. */
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

/** Returns the optional fields without a meaning of null; null there means "not given". */
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

/** Returns the body schema for the document, with null allowed for the fields where null means "not given". */
function described(body: z.ZodObject, fields: ReadonlySet<string>): z.ZodObject {
  const shape = Object.entries<z.core.$ZodType>(body.shape).map(
    ([name, field]) => [name, fields.has(name) ? z.nullable(field) : field] as const,
  );
  const shown = z.object(Object.fromEntries(shape));
  const meta = body.meta();
  return meta === undefined ? shown : shown.meta(meta);
}

/** Returns true if the contract promises the `Idempotency-Key`: for POST and PUT. */
export function takesIdempotencyKey({ method }: Pick<Operation, "method">): boolean {
  return method === "post" || method === "put";
}

/** Returns true if an answer gets an entity tag: GET of JSON without secrets. */
export function hasEntityTag({ method, media, secret, hasOwnTag }: Operation): boolean {
  return method === "get" && media === undefined && secret === undefined && hasOwnTag !== true;
}

/** Returns the refusals possible for any operation with such request parts; the document lists them for each operation. */
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
