import { meaningOf, rejectionStatus, restCode } from "@hostledger/rpc";
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from "zod-openapi";

import { commonRefusals, type Operation } from "../http/operation.ts";
import { failureBody, type Rejection } from "../http/refusal.ts";
import { headerReferences, type ResponseHeader } from "./headers.ts";

type Code = Rejection["code"];

export interface DescribedFailures {
  /** Failures shared by several operations, each described once. */
  readonly components: Record<string, ZodOpenApiResponseObject>;
  /** Returns the failures of an operation by status, each with its possible codes. */
  responsesOf(operation: Operation): ZodOpenApiResponsesObject;
}

/** Describes the refusals of all operations, from the operations and the table of rejections. */
export function describeFailures(operations: readonly Operation[]): DescribedFailures {
  const all = Map.groupBy(operations.flatMap(groupsOf), ({ name }) => name);
  const shared = [...all]
    .filter(([, { length }]) => length > 1)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, [group]]) => (group === undefined ? [] : [group]));
  const names = new Set(shared.map(({ name }) => name));
  return {
    components: Object.fromEntries(shared.map((group) => [group.name, failureResponse(group)] as const)),
    responsesOf: (operation) =>
      Object.fromEntries(
        groupsOf(operation).map((group) => [
          String(group.status),
          names.has(group.name)
            ? { $ref: `#/components/responses/${group.name}` as const }
            : failureResponse(group),
        ]),
      ),
  };
}

interface FailureGroup {
  readonly status: number;
  readonly codes: readonly Code[];
  /** Name in the components: `RateLimited`, `ChangeInFlightOrRequestInProgress`. */
  readonly name: string;
}

function groupsOf(operation: Operation): readonly FailureGroup[] {
  const byStatus = Map.groupBy(refusalsOf(operation), (code) => rejectionStatus[code].http);
  return [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, codes]) => ({ status, codes, name: codes.map(nameOf).join("Or") }));
}

const nameOf = (code: Code): string =>
  code.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

function refusalsOf(operation: Operation): Code[] {
  return [...new Set([...operation.refusals, ...commonRefusals(operation)])];
}

function failureResponse({ status, codes }: FailureGroup): ZodOpenApiResponseObject {
  const lines = codes.map((code) => {
    const { sentence, clientAction } = meaningOf(code);
    return `\`${restCode(code)}\`: ${sentence} ${clientAction}`;
  });
  return {
    description: codes.length === 1 ? lines.join() : lines.map((line) => `- ${line}`).join("\n"),
    headers: headerReferences(...headersOf(status)),
    content: {
      "application/json": {
        schema: {
          allOf: [{ $ref: "#/components/schemas/Failure" }],
          properties: { code: { enum: codes.map(restCode) } },
        },
        examples: Object.fromEntries(codes.map((code) => [restCode(code), { value: example(code) }])),
      },
    },
  };
}

function headersOf(status: number): readonly ResponseHeader[] {
  if (status === 401) return ["X-Request-Id", "WWW-Authenticate"];
  const always = ["X-Request-Id", "RateLimit-Policy", "RateLimit"] as const;
  return status === 429 || status === 503 ? [...always, "Retry-After"] : [...always];
}

function example(code: Code): object {
  const message = meaningOf(code).sentence;
  switch (code) {
    case "insufficient-balance":
      return failureBody({ code, message, detail: { requiredCents: 1_190n, availableCents: 1_000n } });
    case "validation-failed": {
      const sentence = "The field years must be an integer from 1 to 10.";
      return failureBody({ code, message: sentence, detail: { fieldErrors: { years: [sentence] } } });
    }
    case "missing-scope":
      return failureBody({ code, message, detail: { scope: "domains" } });
    case "server-held":
      return failureBody({ code, message, detail: { reason: "It sends unwanted mail." } });
    case "quota-exceeded":
      return failureBody({ code, message, detail: { quota: "open_tickets" } });
    default:
      return failureBody({ code, message });
  }
}
