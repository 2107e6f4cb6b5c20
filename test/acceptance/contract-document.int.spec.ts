import { renderOpenApiDocument } from "@hostledger/gateway";
import {
  badIds,
  documentedOperations,
  fieldCasesOf,
  isOwnFault,
  operationsWithIds,
  pathOf,
  requestsOf,
  validRequestOf,
  type DocumentedOperation,
  type GeneratedRequest,
} from "@hostledger/gateway/testing";
import { virtualClock } from "@hostledger/runtime/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { positionOfLog } from "../support/log-position.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import type { RestAnswer, RestClient } from "../support/rest-client.ts";
import { openShop, registerName, unauthorized, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/**
 * What holds for every operation of the OpenAPI document, tested of every operation that is in it: a new one is covered
 * without anyone remembering. The client compares every answer with the document.
 */

const document: unknown = JSON.parse(renderOpenApiDocument());
const operations = documentedOperations(document);
const keyed = operations.filter(({ needsKey }) => needsKey);

type Ids = Readonly<Record<"domain" | "record" | "server" | "pos" | "ticket" | "invoice", number>>;

let shop: Shop;
let mine: Ids;
let theirs: Ids;
let distroId: number;

beforeAll(async () => {
  shop = await openShop({
    clock: virtualClock(),
    environment: { HOSTLEDGER_RATE_LIMIT: "0", HOSTLEDGER_PROVIDER_TIMEOUT_MS: "400" },
  });
  distroId = Number(itemsOf((await shop.owner.get("/distros")).body)[0]?.id);
  mine = await resourcesOf(shop.owner, "mine.com");
  theirs = await resourcesOf(shop.stranger, "theirs.com");
});

afterAll(() => shop.close());

/** One resource of each kind. */
async function resourcesOf(customer: Customer, name: string): Promise<Ids> {
  const domain = await registerName(customer, name);
  const read = objectOf((await customer.get(`/domains/${String(domain)}`)).body);
  const server = await shop.provision({ of: customer, whitelisted: true });
  const rule = { action: "ACCEPT", type: "in", proto: "tcp", dport: "443" };
  const added = await customer.post(`/servers/${String(server)}/firewall`, rule);
  const opened = await customer.post("/tickets", { title: "A question", message: "How?" });
  const invoices = await customer.get("/billing/invoices");
  return {
    domain,
    record: Number(itemsOf(read.dns_records)[0]?.id),
    server,
    pos: Number(objectOf(objectOf(added.body).rule).pos),
    ticket: Number(objectOf(objectOf(opened.body).ticket).id),
    invoice: Number(itemsOf(invoices.body).find(({ action }) => action === "purchase")?.id),
  };
}

const send = (client: RestClient, { path, ...init }: GeneratedRequest): Promise<RestAnswer> =>
  client.send(path, init);

/** Everything that an account can see of itself, but for what time alone changes. */
async function seenBy(customer: Customer, ids: Ids): Promise<unknown> {
  const paths = operations
    .filter(({ method, needsKey }) => method === "get" && needsKey)
    .filter(({ query }) => !query.some(({ name }) => name === "domain"))
    .map((operation) => pathOf(operation, ids));
  return Promise.all(paths.map(async (path) => [path, (await customer.get(path)).body]));
}

/** What no example can know: the ids of this shop. */
const fieldsOf = (ids: Ids) => ({
  plan_id: shop.planId,
  region_id: shop.regionId,
  distro_id: distroId,
  server_id: ids.server,
});

describe("the examples of the document", () => {
  it("are right: each request made of them succeeds, in the document's order", async () => {
    const customer = await shop.customer(100_000n);
    const ids = await resourcesOf(customer, "examples.com");
    for (const operation of operations) {
      // No two records of a zone are alike, so that each operation on one has a name of its own.
      const fields = { ...fieldsOf(ids), name: operation.id.toLowerCase() };
      const answer = await send(customer, validRequestOf(operation, ids, fields));
      expect(answer.status, `${operation.id}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    }
  });
});

describe("another account's resource", () => {
  it.each(operationsWithIds(document))("$method $path: 403, and nothing changes", async (operation) => {
    const before = await seenBy(shop.owner, mine);
    const position = await positionOfLog(shop.instance);
    expect(await send(shop.stranger, validRequestOf(operation, mine))).toMatchObject(unauthorized);
    expect(await positionOfLog(shop.instance)).toBe(position);
    expect(await seenBy(shop.owner, mine)).toEqual(before);
  });

  it.each(operationsWithIds(document).filter(({ params }) => params.some(({ name }) => name === "record")))(
    "$method $path: 404 for another account's record below one's own domain",
    async (operation) => {
      const position = await positionOfLog(shop.instance);
      const request = validRequestOf(operation, { ...theirs, record: mine.record });
      expect(await send(shop.stranger, request)).toMatchObject({ status: 404 });
      expect(await positionOfLog(shop.instance)).toBe(position);
    },
  );
});

describe("an id that is none", () => {
  const cases = operationsWithIds(document).flatMap((operation) =>
    operation.params.map((parameter) => ({ operation, parameter })),
  );
  it.each(cases)(
    "$operation.method $operation.path: 404 for every such {$parameter.name}",
    async ({ operation, parameter: { name, schema } }) => {
      const position = await positionOfLog(shop.instance);
      for (const id of badIds.filter((text) => !(text === "0" && schema.minimum === 0))) {
        const request = {
          ...validRequestOf(operation, mine),
          path: pathOf(operation, { ...mine, [name]: id }),
        };
        expect(await send(shop.owner, request), request.path).toMatchObject({ status: 404 });
      }
      expect(await positionOfLog(shop.instance)).toBe(position);
    },
  );
});

describe("a field that breaks its rule", () => {
  it.each(operations.filter(({ body }) => body !== undefined))(
    "$method $path: 422 that names it, and nothing is written",
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

describe("any request", () => {
  it.each(keyed)(
    "$method $path: an answer of the document, and never a fault of our own",
    async (operation) => {
      const known = Object.fromEntries(
        Object.entries(mine).map(([name, id]) => [name, [id, id, id, theirs[name as keyof Ids], 999_999]]),
      );
      await fc.assert(
        fc.asyncProperty(requestsOf(operation, known), async (request) => {
          const { status, body } = await send(shop.owner, request);
          expect(isOwnFault(status, body), JSON.stringify({ status, body })).toBe(false);
        }),
        { numRuns: 25 },
      );
    },
  );
});
