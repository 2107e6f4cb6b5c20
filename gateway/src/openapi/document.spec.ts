import { readFileSync } from "node:fs";

import { Validator } from "@seriousme/openapi-schema-validator";
import addFormats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";

import { z } from "zod";

import { apiPrefix } from "../http/operation.ts";
import { gatewayUnderTest, read } from "../testing/gateway-under-test.ts";
import { describeOperations, documentPath } from "./document.ts";
import { operations } from "../operations.ts";
import { renderOpenApiDocument } from "./described-operations.ts";

const document = describeOperations(operations);

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(renderOpenApiDocument());
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("resolves every reference and describes no component that nothing refers to", () => {
    const text = JSON.stringify(document);
    const references = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name),
    );
    const components = Object.entries(document.components ?? {})
      .filter(([kind]) => kind !== "securitySchemes")
      .flatMap(([kind, named]: [string, object]) => Object.keys(named).map((name) => `${kind}/${name}`));
    expect([...references].toSorted()).toEqual(components.toSorted());
  });

  it("has every operation of the table once, with a name of its own and a known tag", () => {
    const described = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(described.toSorted()).toEqual(
      [...operations.map(({ method, path }) => `${method} ${path}`), `get ${documentPath}`].toSorted(),
    );
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
    const tags = (document.tags ?? []).map(({ name }) => name);
    for (const { id, tag } of operations) {
      expect(id).toMatch(/^[a-z]+(?:[A-Z][a-z]+)*$/);
      expect(tags).toContain(tag);
    }
  });

  it("names the shared schemas of the specification", () => {
    expect(Object.keys(document.components?.schemas ?? {})).toEqual(
      expect.arrayContaining([
        "Domain",
        "DnsRecord",
        "Server",
        "FirewallRule",
        "StockEntry",
        "Ticket",
        "Failure",
      ]),
    );
  });

  it("allows further fields in answers: no object of it is closed", () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
  });

  it("marks nullable fields and money in terms that every generator and validator supports", () => {
    const text = JSON.stringify(document);
    expect(text).not.toContain('{"type":"null"}');
    expect(text).not.toContain('"multipleOf"');
  });

  it("has at most one pattern per value", () => {
    expect(JSON.stringify(document)).not.toMatch(/"allOf":\[\{[^\]]*"pattern"/);
  });

  it("accepts the Idempotency-Key on every POST and PUT, and nowhere else", () => {
    for (const { method, path } of operations) {
      const parameters = JSON.stringify(document.paths?.[path]?.[method]?.parameters ?? []);
      const isTaken = method === "post" || method === "put";
      expect(parameters.includes("#/components/parameters/IdempotencyKey")).toBe(isTaken);
    }
  });

  it("equals the committed file", () => {
    const committed = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8");
    expect(committed === renderOpenApiDocument(), "Run: pnpm run generated:write").toBe(true);
  });
});

describe("the examples of the document", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(z.looseObject({}).parse(JSON.parse(renderOpenApiDocument())), "openapi.json");

  it.each(bodiesOf(JSON.parse(renderOpenApiDocument())))(
    "include one for $place, valid by its schema",
    ({ pointer, example }) => {
      const validate = ajv.compile({ $ref: `openapi.json${pointer}/schema` });
      expect(example).toBeDefined();
      expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
    },
  );
});

function bodiesOf(root: unknown) {
  return ["paths", "webhooks"].flatMap((kind) =>
    below(root, kind).flatMap(([path, item]) =>
      below(item).flatMap(([method, operation]) => {
        const answers = below(operation, "responses").filter(([status]) => status.startsWith("2"));
        const parts = [
          ...below(operation, "requestBody", "content").map(
            ([type, media]) => ["requestBody", type, media] as const,
          ),
          ...answers.flatMap(([status, answer]) =>
            below(answer, "content").map(([type, media]) => [`responses/${status}`, type, media] as const),
          ),
        ];
        return parts.map(([part, type, media]) => ({
          place: `${method} ${path} ${part}`,
          pointer: `#/${kind}/${escaped(path)}/${method}/${part}/content/${escaped(type)}`,
          example: Object.fromEntries(below(media)).example,
        }));
      }),
    ),
  );
}

function below(value: unknown, ...path: readonly string[]): [string, unknown][] {
  const [first, ...rest] = path;
  const entries: [string, unknown][] =
    typeof value === "object" && value !== null ? Object.entries(value) : [];
  return first === undefined ? entries : below(Object.fromEntries(entries)[first], ...rest);
}

const escaped = (segment: string): string => encodeURIComponent(segment.replaceAll("/", "~1"));

describe("GET /openapi.json", () => {
  it("serves the committed document without a key", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await read(await fetch(`${gateway.origin}${apiPrefix}${documentPath}`));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.json).toEqual(JSON.parse(renderOpenApiDocument()));
    const wrong = await fetch(`${gateway.origin}${apiPrefix}${documentPath}`, { method: "POST" });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });
});
