import { create } from "@bufbuild/protobuf";
import { domain } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { describeOperations } from "./openapi/document.ts";
import { operations as table } from "./operations.ts";
import {
  idsOf,
  pathValuesOf,
  requestsOf,
  validRequestOf,
  type GeneratedRequest,
} from "./testing/contract-requests.ts";
import { checkResponsesBy } from "./testing/documented-responses.ts";
import { domainMessage } from "./testing/fake-services.ts";
import { badIds, fieldCasesOf } from "./testing/field-cases.ts";
import {
  gatewayUnderTest,
  sharedGateway,
  type GatewayUnderTest,
  type GatewayUnderTestOptions,
  type ReadAnswer,
} from "./testing/gateway-under-test.ts";
import { documentedOperations, operationsWithIds, pathOf } from "./testing/openapi-document.ts";
import { isOwnFault } from "./testing/verdict.ts";

/** Compares responses to generated requests with the OpenAPI document; account N owns the resources with number N. */

const described = describeOperations(table);
const operations = documentedOperations(described);
const problemsOf = checkResponsesBy(described);
const ofSeven = idsOf(7);
const ofEight = idsOf(8);
const known = {
  key: [7, 8, 9],
  domain: [7, 8, 9],
  invoice: [7, 8, 9],
  server: [7, 8, 9],
  ticket: [7, 8, 9],
  record: [3],
  pos: [0, 1],
};

const price = { tld: "com", registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 900n };

const answers: GatewayUnderTestOptions = {
  requestsPerMinute: 0,
  domain: {
    registerDomain: ({ domain: name, years = 1 }) =>
      create(domain.RegisterDomainResponseSchema, {
        invoiceId: 1n,
        amountChargedCents: 1_190n,
        years,
        domain: domainMessage(7n, name),
      }),
    transferDomain: ({ domain: name }) =>
      create(domain.TransferDomainResponseSchema, {
        invoiceId: 1n,
        amountChargedCents: 1_071n,
        domain: domainMessage(7n, name),
      }),
    searchDomain: ({ domain: name, years = 1 }) => ({ domain: name, available: true, price, years }),
    listPrices: () => ({ prices: [price] }),
  },
};

const answering = sharedGateway(answers);

async function checked(gateway: GatewayUnderTest, request: GeneratedRequest): Promise<ReadAnswer> {
  const { path, ...init } = request;
  const answer = await gateway.request(path, init);
  const { status, headers, json: body } = answer;
  expect(problemsOf({ method: request.method, path, status, headers, body })).toEqual([]);
  return answer;
}

describe.each(operations)("$method $path", (operation) => {
  it("answers a valid request with success, as the document says", async () => {
    const gateway = await answering();
    const answer = await checked(gateway, validRequestOf(operation, ofSeven));
    expect(answer.status).toBeLessThan(300);
  });

  it("answers any request as the document says, and fails on none", async () => {
    // A generated request may carry an Idempotency-Key. A gateway accepts each key once, so this run has a gateway of
    // its own.
    const gateway = await gatewayUnderTest(answers);
    await fc.assert(
      fc.asyncProperty(requestsOf(operation, known), async (request) => {
        const { status, json } = await checked(gateway, request);
        expect(isOwnFault(status, json)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it("requires a key, unless the document says otherwise", async () => {
    const gateway = await answering();
    const { path, headers, ...init } = validRequestOf(operation, ofSeven);
    const answer = await gateway.request(path, {
      ...init,
      headers: { ...headers, authorization: "unknown" },
    });
    expect(answer.status).toBe(operation.needsKey ? 401 : 200);
  });
});

describe.each(operationsWithIds(described))("$method $path", (operation) => {
  it("refuses another account's resource", async () => {
    const gateway = await answering();
    const answer = await checked(gateway, validRequestOf(operation, ofEight));
    expect(answer).toMatchObject({
      status: 403,
      json: { status: false, error: "This action is unauthorized.", code: "unauthorized" },
    });
  });

  it.each(operation.params.filter(({ name }) => name in ofSeven))(
    "answers 404 for every {$name} that does not exist",
    async ({ name, schema }) => {
      const gateway = await answering();
      const { method, headers, body } = validRequestOf(operation, ofSeven);
      for (const id of badIds.filter((text) => !(text === "0" && schema.minimum === 0))) {
        const path = pathOf(operation, pathValuesOf(operation, { ...ofSeven, [name]: id }));
        const init = { method, headers, path, ...defined({ body }) };
        expect(await checked(gateway, init), path).toMatchObject({
          status: 404,
          json: { code: "not_found" },
        });
      }
    },
  );
});

/** Matches Zod's default messages, which customers must not see. */
const wordsOfZod = /Invalid (?:input|option|string)|Too (?:small|big)|Unrecognized|received/;

describe.each(operations.flatMap((operation) => fieldCasesOf(operation)))(
  "$operation.method $operation.path",
  ({ operation, field, why, body, isAllowed }) => {
    it(`${isAllowed ? "takes" : "refuses"} ${field}: ${why}`, async () => {
      const gateway = await answering();
      const answer = await checked(gateway, {
        ...validRequestOf(operation, ofSeven),
        body: JSON.stringify(body),
      });
      if (isAllowed) expect(answer.status).toBeLessThan(300);
      else {
        expect(answer).toMatchObject({ status: 422, json: { errors: { [field]: [expect.any(String)] } } });
        expect(answer.text).not.toMatch(wordsOfZod);
      }
    });
  },
);
