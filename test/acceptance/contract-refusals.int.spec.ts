import { renderOpenApiDocument } from "@hostledger/gateway";
import {
  badIds,
  documentedOperations,
  fieldCasesOf,
  operationsWithIds,
  pathOf,
  pathValuesOf,
  validRequestOf,
  type DocumentedOperation,
} from "@hostledger/gateway/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { positionOfLog } from "../support/log-position.ts";
import { objectOf } from "../support/matchers.ts";
import type { Shop } from "../support/shop.ts";
import { openDocumentShop, resourcesOf, send, type Ids } from "./contract-document.fixture.ts";

/**
 * Rules of every operation in the OpenAPI document about requests that are refused before anything is written. The
 * event store makes no difference, so these tests run on one.
 */

const document: unknown = JSON.parse(renderOpenApiDocument());
const operations = documentedOperations(document);

let shop: Shop;
let mine: Ids;

beforeAll(async () => {
  shop = await openDocumentShop();
  mine = await resourcesOf(shop, shop.owner, "mine.com");
});

afterAll(() => shop.close());

/** Path parameters of a record set, which are no ids, so that `0` may be valid. */
const setNames: ReadonlySet<string> = new Set(["name", "type"]);

describe("an invalid id", () => {
  const cases = operationsWithIds(document).flatMap((operation) =>
    operation.params.filter(({ name }) => !setNames.has(name)).map((parameter) => ({ operation, parameter })),
  );
  it.each(cases)(
    "$operation.method $operation.path: answers 404 for every invalid {$parameter.name}",
    async ({ operation, parameter: { name, schema } }) => {
      const position = await positionOfLog(shop.instance);
      for (const id of badIds.filter((text) => !(text === "0" && schema.minimum === 0))) {
        const request = {
          ...validRequestOf(operation, mine),
          path: pathOf(operation, pathValuesOf(operation, { ...mine, [name]: id })),
        };
        expect(await send(shop.owner, request), request.path).toMatchObject({ status: 404 });
      }
      expect(await positionOfLog(shop.instance)).toBe(position);
    },
  );
});

describe("a field that breaks its rule", () => {
  it.each(operations.filter(({ body }) => body !== undefined))(
    "$method $path: answers 422, names the field and writes nothing",
    async (operation: DocumentedOperation) => {
      const position = await positionOfLog(shop.instance);
      for (const { field, why, body } of fieldCasesOf(operation).filter(({ isAllowed }) => !isAllowed)) {
        const request = { ...validRequestOf(operation, mine), body: JSON.stringify(body) };
        const answer = await send(shop.owner, request);
        expect(answer.status, `${field}: ${why}`).toBe(422);
        expect(Object.keys(objectOf(objectOf(answer.body).errors)), `${field}: ${why}`).toContain(field);
      }
      expect(await positionOfLog(shop.instance)).toBe(position);
    },
  );
});
