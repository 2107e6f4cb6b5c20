import type { CallOptions } from "@connectrpc/connect";
import { z } from "zod";

import type { Answer } from "./answer.ts";
import { invalidRequest } from "./validation.ts";

/** The methods of the API. */
export type Method = "get" | "post" | "put" | "delete";

/** The parts of a request that an operation reads, each with its schema. Parts not named are not even parsed. */
export type RequestShape = Readonly<Partial<Record<"params" | "query" | "body", z.ZodObject>>>;

/** Who calls, and what every call to a service on behalf of the caller carries. */
export interface Caller {
  readonly accountId: bigint;
  /** Caller token, request id and time limit. */
  readonly call: CallOptions;
}

/** One operation of the REST API: its contract as data, and the call it makes. */
interface OperationDefinition<Shape extends RequestShape> {
  readonly method: Method;
  /** Path below the prefix, in OpenAPI's notation: `/domains/{domain}`. */
  readonly path: string;
  readonly summary: string;
  readonly request: Shape;
  /** Schema of the body of each successful status. */
  readonly responses: Readonly<Record<number, z.ZodType>>;
  /** Calls a service and shows what it said. Throws what the service threw. */
  handle(request: z.output<z.ZodObject<Shape>>, caller: Caller): Promise<Answer>;
}

/** The parts of a request as they came. */
export type RawRequest = Readonly<Partial<Record<keyof RequestShape, unknown>>>;

/** An operation of the table, whatever the shape of its request. */
export interface Operation extends Omit<OperationDefinition<RequestShape>, "handle"> {
  /** Validates a request and answers it. @throws RefusalError 404 or 422 */
  answer(raw: RawRequest, caller: Caller): Promise<Answer>;
}

/** Puts an operation into the table: its schemas become one, made once. */
export function operation<const Shape extends RequestShape>(
  definition: OperationDefinition<Shape>,
): Operation {
  const { method, path, summary, request, responses } = definition;
  const schema = z.object(request);
  return {
    method,
    path,
    summary,
    request,
    responses,
    async answer(raw, caller) {
      const result = schema.safeParse(raw);
      if (!result.success) throw invalidRequest(result.error.issues);
      return definition.handle(result.data, caller);
    },
  };
}
