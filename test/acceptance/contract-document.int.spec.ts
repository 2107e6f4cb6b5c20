import { renderOpenApiDocument } from "@hostledger/gateway";
import {
  documentedOperations,
  isOwnFault,
  operationsWithIds,
  pathOf,
  pathValuesOf,
  requestsOf,
  validRequestOf,
} from "@hostledger/gateway/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { positionOfLog } from "../support/log-position.ts";
import { itemsOf } from "../support/matchers.ts";
import { restClient, type RestClient } from "../support/rest-client.ts";
import { unauthorized, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";
import {
  openDocumentShop,
  resourcesOf,
  send,
  sendUntilProven,
  storedMethod,
  type Ids,
} from "./contract-document.fixture.ts";

/**
 * Rules of every operation in the OpenAPI document, tested for each operation found there, so new ones are covered
 * automatically. The client compares every answer with the document.
 */

const document: unknown = JSON.parse(renderOpenApiDocument());
const operations = documentedOperations(document);
const keyed = operations.filter(({ needsKey }) => needsKey);

let shop: Shop;
let mine: Ids;
let theirs: Ids;
let distroId: number;

beforeAll(async () => {
  shop = await openDocumentShop();
  distroId = Number(itemsOf((await shop.owner.get("/distros")).body)[0]?.id);
  mine = await resourcesOf(shop, shop.owner, "mine.com");
  theirs = await resourcesOf(shop, shop.stranger, "theirs.com");
});

afterAll(() => shop.close());

/**
 * Returns everything that an account can read about itself, except for what time alone changes: a proof has the
 * newest checkpoint.
 */
async function seenBy(customer: Customer, ids: Ids): Promise<unknown> {
  const paths = operations
    .filter(({ id, method, needsKey }) => method === "get" && needsKey && id !== "getInvoiceProof")
    .filter(({ query }) => !query.some(({ name }) => name === "domain"))
    .map((operation) => pathOf(operation, pathValuesOf(operation, ids)));
  return Promise.all(paths.map(async (path) => [path, (await customer.get(path)).body]));
}

/** Fields that no example can contain: the ids of this shop. */
const fieldsOf = (ids: Ids) => ({
  plan_id: shop.planId,
  region_id: shop.regionId,
  distro_id: distroId,
  server_id: ids.server,
});

describe("the examples of the document", () => {
  it("are valid: each request made from them succeeds, in the document's order", async () => {
    const customer = await shop.customer(100_000n);
    const ids = await resourcesOf(shop, customer, "examples.com");
    for (const operation of operations) {
      // No two records of a zone are alike, so that each operation on one has a name of its own.
      const named = { ...fieldsOf(ids), name: operation.id.toLowerCase() };
      // The stored method was deleted before.
      const fields =
        operation.id === "updateAutoTopUp" ? { ...named, method: await storedMethod(customer) } : named;
      const answer = await sendUntilProven(customer, validRequestOf(operation, ids, fields));
      const answered = `${operation.id}: ${JSON.stringify(answer.body)}`;
      // Only withheld names can be restored; life-cycle.int.spec.ts does that.
      if (operation.id === "restoreDomain") expect(answer.status, answered).toBe(409);
      else {
        expect(answer.status, answered).toBeLessThan(300);
        // The document would be its own example.
        if (operation.id === "getOpenApiDocument") continue;
        expect(shapeOf(answer.body, operation.answer), answered).toEqual(
          shapeOf(operation.answer, answer.body),
        );
      }
    }
    await paymentsEnded(customer);
  });
});

/** Waits until the customer's payments by card have ended, because their events would look like changes by a later request. */
async function paymentsEnded(customer: RestClient): Promise<void> {
  const ended = async (): Promise<void> => {
    const { body } = await customer.get("/billing/topups");
    expect(JSON.stringify(body)).not.toContain('"method":"card","state":"pending"');
  };
  await vi.waitFor(ended, { timeout: 30_000 });
}

/** The names of all fields, at any depth, of lists and objects that the other value fills as well. */
function shapeOf(value: unknown, beside: unknown): unknown {
  if (Array.isArray(value)) {
    const isFilled = Array.isArray(beside) && beside.length > 0;
    return isFilled && value.length > 0 ? [shapeOf(value[0], beside[0])] : [];
  }
  if (typeof value !== "object" || value === null || typeof beside !== "object" || beside === null)
    return "value";
  const other = new Map<string, unknown>(Object.entries(beside));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, shapeOf(inner, other.get(name))]),
  );
}

describe("another account's resource", () => {
  let before: unknown;

  // Created once, because none of these requests changes anything.
  beforeAll(async () => {
    await paymentsEnded(shop.owner);
    before = await seenBy(shop.owner, mine);
  });

  it.each(operationsWithIds(document))(
    "$method $path: answers 403 and changes nothing",
    async (operation) => {
      const position = await positionOfLog(shop.instance);
      expect(await send(shop.stranger, validRequestOf(operation, mine))).toMatchObject(unauthorized);
      expect(await positionOfLog(shop.instance)).toBe(position);
      expect(await seenBy(shop.owner, mine)).toEqual(before);
    },
  );

  it.each(operationsWithIds(document).filter(({ params }) => params.some(({ name }) => name === "record")))(
    "$method $path: answers 404 for another account's record under the caller's own domain",
    async (operation) => {
      const position = await positionOfLog(shop.instance);
      const request = validRequestOf(operation, { ...theirs, record: mine.record });
      expect(await send(shop.stranger, request)).toMatchObject({ status: 404 });
      expect(await positionOfLog(shop.instance)).toBe(position);
    },
  );
});

describe("any request", () => {
  it.each(keyed)(
    "$method $path: gets an answer of the document, never an internal error",
    async (operation) => {
      // Each operation gets its own key, because random requests may revoke it.
      const { apiKey } = await shop.instance.staff.accounts.issueApiKey({
        accountId: BigInt(shop.owner.accountId),
      });
      const client = restClient(shop.instance.baseUrl, apiKey);
      const known = Object.fromEntries(
        Object.entries(mine).map(([name, id]) => [name, [id, id, id, theirs[name as keyof Ids], 999_999]]),
      );
      await fc.assert(
        fc.asyncProperty(requestsOf(operation, known), async (request) => {
          const { status, body } = await send(client, request);
          expect(isOwnFault(status, body), JSON.stringify({ status, body })).toBe(false);
        }),
        { numRuns: 25 },
      );
    },
  );
});
