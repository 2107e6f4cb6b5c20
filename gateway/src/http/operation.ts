import type { CallOptions, Client } from "@connectrpc/connect";
import type { account, audit, domain, server, support } from "@hostledger/protocol";
import type { ApiKeyScope } from "@hostledger/rpc";
import { z } from "zod";

import type { Answer } from "./answer.ts";
import type { RawRequest, Rejection } from "./explanation.ts";
import { invalidRequest } from "./validation.ts";

/** Prefix of all API paths, with the version (specification §9). */
export const apiPrefix = "/api/v1";

const methods = ["get", "post", "put", "delete"] as const;

export type Method = (typeof methods)[number];

/** Schemas of the request parts that an operation reads. Other parts are not parsed. */
export type RequestShape = Readonly<Partial<Record<"params" | "query" | "body", z.ZodObject>>>;

/** Scopes of an API key; null means all. */
export type HeldScopes = readonly string[] | null;

export interface OperationServices {
  readonly accounts: Client<typeof account.AccountService>;
  readonly domains: Client<typeof domain.DomainService>;
  readonly servers: Client<typeof server.ServerService>;
  readonly catalogue: Client<typeof server.CatalogueService>;
  readonly support: Client<typeof support.SupportService>;
  /** Files of documents, from the archive. */
  readonly documents: Client<typeof account.DocumentService>;
  /** Proofs of documents, from the audit log; absent if the gateway reaches no audit service. */
  readonly proofs?: Client<typeof audit.DocumentProofService>;
  readonly payments: Client<typeof account.PaymentService>;
}

/** The caller of a request, and the services with the options of every call on its behalf. */
export interface Caller extends OperationServices {
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
interface OperationContract<Shape extends RequestShape, Schema extends z.ZodType> {
  /** Name in the documents and generated clients, such as `registerDomain`. */
  readonly id: string;
  /** Scopes that each permit the operation; a refusal names the first. Reads also accept the scopes of writes. */
  readonly scopes: readonly [ApiKeyScope, ...ApiKeyScope[]];
  readonly summary: string;
  /** Details beyond the summary. */
  readonly description?: string;
  readonly request: Shape;
  /** Body schema of the success, by its one status. */
  readonly responses: Readonly<Record<number, Schema>>;
  /** Sentence of the success. The answer begins with `status: true` and `message`; a body may override the sentence. */
  readonly message?: string;
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

/** Calls a service for a validated request. Throws the service's errors. */
type Handler<Shape extends RequestShape, Result> = (
  request: z.output<z.ZodObject<Shape>>,
  caller: Caller,
) => Promise<Result>;

/** Returns the body without `status` and `message`, which the operation adds; nothing if nothing is left. */
type RestHandler<Shape extends RequestShape, Body> = [keyof Omit<Body, "status" | "message">] extends [never]
  ? Handler<Shape, void>
  : Handler<Shape, Omit<Body, "status" | "message"> & { readonly message?: string }>;

/**
 * Response of an operation: `body` returns a body of its schema; `answer` builds the whole answer (list, text,
 * file).
 */
type Answering<Shape extends RequestShape, Schema extends z.ZodType> =
  | { readonly message: string; readonly body: RestHandler<Shape, z.output<Schema>> }
  | { readonly message?: undefined; readonly body: Handler<Shape, z.output<Schema>> }
  | { readonly message?: undefined; readonly answer: Handler<Shape, Answer> };

type OperationDefinition<Shape extends RequestShape, Schema extends z.ZodType> = OperationContract<
  Shape,
  Schema
> &
  Answering<Shape, Schema> & {
    /** Method and path below the prefix, in OpenAPI notation. */
    readonly route: `${Uppercase<Method>} /${string}`;
    /** Reads the current revision; present if the operation accepts `If-Match` and `If-None-Match`. */
    readonly revisionOf?: Handler<Shape, bigint>;
  };

/** A validated request. Throws the service's errors. */
export type ValidRequest = (caller: Caller) => Promise<Answer>;

/** A validated request with the reader of its revision; `revision` is undefined if the operation takes no condition. */
export interface Validated {
  readonly run: ValidRequest;
  readonly revision: ((caller: Caller) => Promise<bigint>) | undefined;
}

/** An operation with its types erased. */
export interface Operation extends OperationContract<RequestShape, z.ZodType> {
  readonly tag: OperationTag;
  readonly method: Method;
  /** Path below the prefix in OpenAPI notation: `/domains/{domain}`. */
  readonly path: string;
  /** Validates a request without calling a service. @throws RefusalError 404 or 422 */
  validate(raw: RawRequest): Validated;
  /** True if the operation accepts `If-Match` and `If-None-Match`. */
  readonly isConditional: boolean;
}

/** An operation of a resource; `operations.ts` adds the tag. */
export type ResourceOperation = Omit<Operation, "tag">;

/** Creates an operation and combines its schemas once. */
export function operation<const Shape extends RequestShape, Schema extends z.ZodType>(
  definition: OperationDefinition<Shape, Schema>,
): ResourceOperation {
  const { revisionOf, route } = definition;
  const schema = z.object(definition.request);
  const { body } = definition.request;
  const nullsAbsent = body === undefined ? undefined : fieldsAbsentWhenNull(body);
  const answer = answerer(definition);
  const [verb, path = ""] = route.split(" ");
  const method = methods.find((each) => each.toUpperCase() === verb);
  if (method === undefined) throw new Error(`${route} names no method`);
  return {
    ...definition,
    method,
    path,
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
        run: (caller) => answer(result.data, caller),
        revision: revisionOf && ((caller) => revisionOf(result.data, caller)),
      };
    },
  };
}

function answerer<Shape extends RequestShape, Schema extends z.ZodType>(
  definition: OperationDefinition<Shape, Schema>,
): Handler<Shape, Answer> {
  if ("answer" in definition) return definition.answer;
  const { message, responses } = definition;
  const status = Number(Object.keys(responses)[0]);
  return async (request, caller) => {
    const made = await definition.body(request, caller);
    return { status, body: message === undefined ? made : Object.assign({ status: true, message }, made) };
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
