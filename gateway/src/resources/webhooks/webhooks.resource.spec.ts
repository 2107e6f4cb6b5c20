import { noticeKinds } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";
import { fieldsOf, refusedBody, refusing } from "../../testing/recording.ts";

const createdAt = "2026-11-21T01:30:00.000456Z";
const url = "https://hooks.example/hostledger";

describe("/webhooks", () => {
  it("lists webhooks without their secrets", async () => {
    const gateway = await gatewayUnderTest();
    expect((await gateway.request("/webhooks")).json).toEqual([
      { id: 7, url, events: ["domain.registered"], enabled: true, created_at: createdAt, disabled_at: null },
    ]);
  });

  it("passes on the request, and shows the secret only this time", async () => {
    const asked: unknown[] = [];
    const gateway = await gatewayUnderTest({
      support: {
        createWebhook(request) {
          asked.push(fieldsOf(request));
          return {
            webhook: { webhookId: 9n, url: request.url, kinds: request.kinds, createdAt },
            secret: "s",
          };
        },
      },
    });
    const events = ["invoice.issued"];
    expect(await gateway.post("/webhooks", { url, events })).toMatchObject({
      status: 201,
      json: { id: 9, url, events, secret: "s" },
    });
    expect(await gateway.post("/webhooks", { url })).toMatchObject({ status: 201 });
    expect(asked).toEqual([
      { url, kinds: events },
      { url, kinds: [] },
    ]);
  });

  it.each([
    ["url", {}],
    ["url", { url: 7 }],
    ["url", { url: "x".repeat(1_001) }],
    ["events", { url, events: [] }],
    ["events", { url, events: ["domain.sold"] }],
    ["events", { url, events: ["domain.renewed", "domain.renewed"] }],
  ])("refuses wrong %s with 422: %j", async (field, body) => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.post("/webhooks", body)).toMatchObject({
      status: 422,
      json: { code: "validation_failed", errors: { [field]: [expect.any(String)] } },
    });
  });

  it.each([
    ["url-not-allowed", 422],
    ["too-many-webhooks", 422],
    ["quota-exceeded", 429],
  ] as const)("passes on %s as %i", async (code, status) => {
    const gateway = await gatewayUnderTest({ support: { createWebhook: refusing(code) } });
    expect(await gateway.post("/webhooks", { url })).toMatchObject({ status, json: refusedBody(code) });
  });

  it("rotates and deletes, only for its own account", async () => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.post("/webhooks/7/rotate", {})).toMatchObject({
      status: 200,
      json: { id: 7, secret: expect.stringMatching(/^whsec_/) },
    });
    expect(await gateway.request("/webhooks/7", { method: "DELETE" })).toMatchObject({ status: 200 });
    expect(await gateway.request("/webhooks/8", { method: "DELETE" })).toMatchObject({ status: 403 });
    expect(await gateway.post("/webhooks/9/rotate", {})).toMatchObject({ status: 404 });
  });

  it("shows deliveries, and sends them again", async () => {
    const gateway = await gatewayUnderTest();
    expect((await gateway.request("/webhooks/7/deliveries")).json).toMatchObject([
      { id: 1, event: "domain.registered", status: "delivered", next_attempt_at: null, error: null },
      { id: 2, status: "pending", attempts: 1, error: "answered 500", next_attempt_at: createdAt },
    ]);
    expect(await gateway.post("/webhooks/7/deliveries/2/resend", {})).toMatchObject({ status: 200 });
    expect(await gateway.post("/webhooks/7/deliveries/x/resend", {})).toMatchObject({ status: 404 });
  });
});

describe("the document", () => {
  it("describes every kind of notice as a webhook", async () => {
    const gateway = await gatewayUnderTest();
    const { json } = await gateway.request("/openapi.json");
    expect(json).toMatchObject({
      webhooks: Object.fromEntries(noticeKinds.map((kind) => [kind, { post: expect.anything() }])),
    });
  });
});
