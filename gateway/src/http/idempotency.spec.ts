import { create } from "@bufbuild/protobuf";
import { account, domain } from "@hostledger/protocol";
import { rejectionError } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { fakeIdempotencyService } from "../testing/fake-idempotency-service.ts";
import { keyOfEight } from "../testing/fake-services.ts";
import { gatewayUnderTest } from "../testing/gateway-under-test.ts";
import { register, harness } from "./idempotency.fixture.ts";

describe("a request with an Idempotency-Key", () => {
  it("is answered as without, and passed to the service with key and operation", async () => {
    const { gateway, counted } = await harness();
    const answer = await register(gateway);
    expect(answer).toMatchObject({ status: 201, json: { status: true, invoice_id: 1 } });
    expect(answer.headers.get("idempotency-replayed")).toBeNull();
    expect(counted).toMatchObject({ keys: ["key"], operations: ["operation-1"] });
  });

  it("is answered again byte for byte, without running", async () => {
    const { gateway, counted } = await harness();
    const first = await register(gateway);
    const again = await register(gateway, { body: ' { "domain" : "a.com" } ' });
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect(counted.operations).toHaveLength(1);
    expect(gateway.log.at(-1)).toMatchObject({ fields: { status: 201, replayed: true } });
  });

  it.each([
    ["1 character", "x", 201],
    ["255 characters", "x".repeat(255), 201],
    ["all visible characters", "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~", 201],
    ["none", "", 422],
    ["256 characters", "x".repeat(256), 422],
    ["a space", "two words", 422],
    ["a letter that is no ASCII", "k\u00e9y", 422],
  ])("may have a key of %s: %s → %i", async (_, key, status) => {
    const { gateway, counted } = await harness();
    const answer = await register(gateway, { key });
    expect(answer.status).toBe(status);
    expect(counted.operations).toHaveLength(status === 201 ? 1 : 0);
    if (status === 422) {
      const sentence = "The header Idempotency-Key must be 1 to 255 visible ASCII characters.";
      expect(answer.json).toEqual({
        status: false,
        error: sentence,
        code: "validation_failed",
        errors: { "Idempotency-Key": [sentence] },
      });
    }
  });

  it.each(["GET", "DELETE"])("is no matter of %s", async (method) => {
    let begun = 0;
    const gateway = await gatewayUnderTest({
      idempotency: {
        beginRequest() {
          begun += 1;
          return create(account.BeginRequestResponseSchema);
        },
      },
      domain: { deleteDnsRecord: () => create(domain.DeleteDnsRecordResponseSchema) },
    });
    const path = method === "GET" ? "/domains" : "/domains/7/dns/1";
    const headers = { "idempotency-key": "no key at all" };
    expect((await gateway.request(path, { method, headers })).status).toBe(200);
    expect(begun).toBe(0);
  });

  it("has a key of its own account", async () => {
    const { gateway, counted } = await harness();
    expect((await register(gateway)).status).toBe(201);
    const other = await register(gateway, { authorization: keyOfEight, body: '{"domain":"b.com"}' });
    expect(other.status).toBe(201);
    expect(counted.effects()).toBe(2);
  });

  it("is refused with 422 under a key that was used with another body", async () => {
    const { gateway, counted } = await harness();
    await register(gateway);
    for (const body of ['{"domain":"b.com"}', '{"domain":"a.com","unknown":1}']) {
      expect(await register(gateway, { body })).toMatchObject({
        status: 422,
        json: { status: false, code: "idempotency_conflict" },
      });
    }
    expect(counted.effects()).toBe(1);
  });

  it("is refused with 422 under a key that was used for another path", async () => {
    const { gateway } = await harness();
    await register(gateway);
    const answer = await gateway.request("/tickets", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "key" },
      body: '{"title":"t","message":"m"}',
    });
    expect(answer).toMatchObject({ status: 422, json: { code: "idempotency_conflict" } });
  });
});

describe("a request whose first is still running", () => {
  it("is refused with 409, with another body 422, and has the outcome afterwards", async () => {
    const started = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const { gateway, counted } = await harness({
      before: async () => {
        started.resolve(undefined);
        await release.promise;
      },
    });
    const first = register(gateway);
    await started.promise;
    const second = await register(gateway);
    expect(second).toMatchObject({ status: 409, json: { code: "request_in_progress" } });
    expect(second.headers.get("retry-after")).toBe("1");
    const third = await register(gateway, { body: '{"domain":"b.com"}' });
    expect(third).toMatchObject({ status: 422, json: { code: "idempotency_conflict" } });
    release.resolve(undefined);
    const { text } = await first;
    expect(await register(gateway)).toMatchObject({ status: 201, text });
    expect(counted.operations).toHaveLength(1);
  });

  it("is no matter of another account's same key", async () => {
    const both = Promise.withResolvers<undefined>();
    const { gateway, counted } = await harness({
      before: async (turn) => {
        if (turn === 2) both.resolve(undefined);
        await both.promise;
      },
    });
    const answers = await Promise.all([register(gateway), register(gateway, { authorization: keyOfEight })]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(counted.effects()).toBe(2);
  });

  it("has one effect among fifty at once", async () => {
    const { gateway, counted } = await harness();
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(gateway)));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect(answers.some(({ status }) => status === 201)).toBe(true);
    expect(counted.operations).toHaveLength(1);
  });

  it("continues and is stored when its client disconnects", async () => {
    const started = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const stored = Promise.withResolvers<undefined>();
    const store = fakeIdempotencyService();
    const { gateway, counted } = await harness({
      before: async () => {
        started.resolve(undefined);
        await release.promise;
      },
      idempotency: {
        ...store.handlers,
        async completeRequest(request, context) {
          const answer = await store.handlers.completeRequest(request, context);
          stored.resolve(undefined);
          return answer;
        },
      },
    });
    const leaving = new AbortController();
    const headers = { "content-type": "application/json", "idempotency-key": "key" };
    const init = { method: "POST", headers, body: '{"domain":"a.com"}', signal: leaving.signal };
    const gone = expect(gateway.request("/domains", init)).rejects.toThrow();
    await started.promise;
    leaving.abort();
    await gone;
    release.resolve(undefined);
    await stored.promise;
    const again = await register(gateway);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(counted.operations).toHaveLength(1);
  });
});

describe("the account service", () => {
  it("may refuse a key, which is then not run", async () => {
    const { gateway, counted } = await harness({
      idempotency: {
        beginRequest() {
          throw rejectionError({ code: "request-in-progress", message: "It is still running." });
        },
      },
    });
    expect(await register(gateway)).toMatchObject({ status: 409, json: { code: "request_in_progress" } });
    expect(counted.operations).toEqual([]);
  });
});
