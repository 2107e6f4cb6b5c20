import type { Client } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";

import { renderOpenApiDocument } from "../openapi/described-operations.ts";
import { operations } from "../operations.ts";
import { idsOf } from "../testing/contract-requests.ts";
import { documentedOperations, exampleOf, type JsonSchema } from "../testing/openapi-document.ts";
import type { Caller, OperationServices } from "./operation.ts";

/** Tests that `null` for an optional field means "not given", except where null has a meaning (contract, "Conventions"). */

/** Fields with a meaning of null. The `hostname` of a server is required: null clears the name. */
const meanings: Readonly<Record<string, string>> = {
  "updateNoticeChoices mail_kinds": "mail of every kind",
  "updateNoticeChoices balance_low_below": "no notice",
};
/** Operation in whose body null clears any field. */
const profile = "updateAccount";

type Path = readonly (string | number)[];

function optionalFields(
  schema: JsonSchema,
  at: Path = [],
): { readonly path: Path; readonly schema: JsonSchema }[] {
  if (schema.items !== undefined) return optionalFields(schema.items, [...at, 0]);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = [...at, name];
    const isOptional = schema.required?.includes(name) !== true;
    return [...(isOptional ? [{ path, schema: field }] : []), ...optionalFields(field, path)];
  });
}

const cases = documentedOperations(JSON.parse(renderOpenApiDocument())).flatMap((operation) => {
  const { id, body } = operation;
  if (body === undefined) return [];
  return optionalFields(body).map(({ path, schema }) => ({ id, field: path.join("."), path, schema, body }));
});

/** Returns a copy of a body with the field replaced, or removed if `value` is undefined. */
function withField(body: unknown, path: Path, value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (typeof name === "number" && Array.isArray(body))
    return body.map((item: unknown, index) => (index === name ? withField(item, rest, value) : item));
  const fields = new Map<string, unknown>(Object.entries(body ?? {}));
  const changed = withField(fields.get(String(name)), rest, value);
  if (changed === undefined) fields.delete(String(name));
  else fields.set(String(name), changed);
  return Object.fromEntries(fields);
}

class AskedError extends Error {
  override readonly name = "AskedError";
}

function notingServices(asked: unknown[]): OperationServices {
  const noting = <Service extends DescService>(): Client<Service> =>
    new Proxy({} as Client<Service>, {
      get: (_, method) => (request: unknown) => {
        asked.push([method, request]);
        throw new AskedError();
      },
    });
  return {
    accounts: noting(),
    domains: noting(),
    servers: noting(),
    catalogue: noting(),
    support: noting(),
    documents: noting(),
    proofs: noting(),
    payments: noting(),
  };
}

function callerOf(services: OperationServices): Caller {
  const caller: Caller = {
    ...services,
    accountId: 7n,
    scopes: null,
    call: {},
    isResumed: false,
    basedOn: () => caller,
  };
  return caller;
}

async function askedFor(id: string, body: unknown): Promise<unknown> {
  const asked: unknown[] = [];
  const found = operations.find((one) => one.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  const params = Object.fromEntries(
    Object.entries({ ...idsOf(7), name: "www", type: "A" }).map(([name, value]) => [name, String(value)]),
  );
  await expect(
    found.validate({ params, query: {}, body }).run(callerOf(notingServices(asked))),
  ).rejects.toThrow(AskedError);
  return asked;
}

describe("null for an optional field", () => {
  it("is tried for every operation with a body", () => {
    expect(cases.length).toBeGreaterThan(40);
    const tried = new Set(cases.map(({ id, field }) => `${id} ${field}`));
    expect(Object.keys(meanings).filter((name) => !tried.has(name))).toEqual([]);
  });

  it.each(cases)("$id: $field is in the document", ({ schema }) => {
    expect([schema, ...(schema.anyOf ?? [])].flatMap(({ type = [] }) => type)).toContain("null");
  });

  it.each(cases)(
    "$id: $field counts as absent, unless null has a meaning",
    async ({ id, field, path, body }) => {
      const whole = exampleOf(body);
      const given = await askedFor(id, withField(whole, path, null));
      if (id === profile || `${id} ${field}` in meanings) return;
      expect(given).toEqual(await askedFor(id, withField(whole, path, undefined)));
    },
  );
});
