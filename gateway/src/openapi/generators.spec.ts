import { describe, expect, it } from "vitest";
import { z } from "zod";

import { noticeKinds } from "@hostledger/rpc";
import { renderOpenApiDocument } from "./described-operations.ts";

/**
 * Asserts on the document the properties whose absence broke client generators. NSwag and Kiota need .NET, which is not
 * installed. Clients of openapi-typescript, hey-api and orval are tested in
 * test/acceptance/generated-clients.long.int.spec.ts.
 */

const text = renderOpenApiDocument();
const parsed: unknown = JSON.parse(text);

const operation = z.object({
  operationId: z.string(),
  description: z.string().optional(),
  parameters: z.array(z.object({ name: z.string().optional() })).default([]),
  responses: z.record(
    z.string(),
    z.object({
      content: z.record(z.string(), z.object({ schema: z.looseObject({}).optional() })).optional(),
    }),
  ),
});
const { paths, webhooks, components } = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), operation)),
    webhooks: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
    components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  })
  .parse(parsed);

function* objectsIn(
  value: unknown,
  place = "",
): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [place, Object.fromEntries(Object.entries(value))];
  for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, `${place}/${name}`);
}

const objects = [...objectsIn(parsed)];
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

describe("the document, as generators read it", () => {
  it("has no alternative of null alone, and no type of two kinds beside null", () => {
    const wrong = objects.filter(([, { anyOf, oneOf, type }]) => {
      const hasNull = [...listIn(anyOf), ...listIn(oneOf)].some(
        (choice) => JSON.stringify(choice) === JSON.stringify({ type: "null" }),
      );
      return hasNull || listIn(type).filter((each) => each !== "null").length > 1;
    });
    expect(wrong.map(([place]) => place)).toEqual([]);
  });

  it("has null among the words of each list of words that may be null", () => {
    const wrong = objects.filter(
      ([, { type, enum: words }]) =>
        listIn(type).includes("null") && Array.isArray(words) && !words.includes(null),
    );
    expect(wrong.map(([place]) => place)).toEqual([]);
  });

  it("names each key of an object once", () => {
    const keys = [...text.matchAll(/"(?:[^"\\]|\\.)*"(?<colon>\s*:)?/gu)].filter(
      ({ groups }) => groups?.colon,
    );
    expect(keys).toHaveLength(objects.reduce((sum, [, one]) => sum + Object.keys(one).length, 0));
  });

  it("names each operation and schema by one identifier, ignoring case", () => {
    const ids = [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(ids.length).toBeGreaterThan(60);
    for (const names of [ids, Object.keys(components.schemas)]) {
      for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9]*$/u);
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    }
    expect(Object.keys(webhooks).toSorted()).toEqual([...noticeKinds, "webhook.test"].toSorted());
  });

  it("refers only to existing parts", () => {
    const places = new Set(objects.map(([place]) => place));
    const references = objects.flatMap(([, { $ref }]) => (typeof $ref === "string" ? [$ref.slice(1)] : []));
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((reference) => !places.has(reference))).toEqual([]);
  });
});

const lists = Object.entries(paths).flatMap(([path, { get }]) => {
  const schema = get?.responses["200"]?.content?.["application/json"]?.schema;
  return get !== undefined && schema?.type === "array" ? [{ path, get }] : [];
});

describe("a list", () => {
  it.each(lists)("$path has limit, after and order, or explains why it has no pages", ({ get }) => {
    const names = get.parameters.map(({ name }) => name);
    if (get.description?.startsWith("The list has no pages") === true) return;
    expect(names).toEqual(expect.arrayContaining(["limit", "after", "order"]));
  });

  it("has no pages in two places only", () => {
    const whole = lists.filter(({ get }) => get.description?.startsWith("The list has no pages") === true);
    expect(whole.map(({ path }) => path)).toEqual(["/domains/pricing", "/stock"]);
    expect(lists.length).toBeGreaterThan(10);
  });
});
