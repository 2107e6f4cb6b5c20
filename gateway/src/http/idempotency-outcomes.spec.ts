import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { domain } from "@hostledger/protocol";
import { rejectionError, type WithContextValues } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { operations } from "../operations.ts";
import { fakeIdempotencyService } from "../testing/fake-idempotency-service.ts";
import { domainMessage } from "../testing/fake-services.ts";
import { gatewayUnderTest } from "../testing/gateway-under-test.ts";
import { countingDomains, harness, refusing, register } from "./idempotency.fixture.ts";
import { maximumOutcomeBytes, outcomeRuleOf } from "./idempotency.ts";
import { commonRefusals, type Operation, takesIdempotencyKey } from "./operation.ts";

describe("a refusal under a key", () => {
  it("of the request's form claims nothing", async () => {
    const { gateway, store } = await harness();
    expect((await register(gateway, { body: '{"domain":"no name"}' })).status).toBe(422);
    expect(store.records.size).toBe(0);
    expect((await register(gateway)).status).toBe(201);
  });

  it.each([
    "insufficient-balance",
    "validation-failed",
    "unauthorized",
    "not-found",
    "registration-in-flight",
    "out-of-stock",
    "domain-taken",
    "registrar-refused",
  ] as const)("that had no effect (%s) frees it, for another body too", async (code) => {
    const { gateway, counted } = await harness({ before: refusing(code) });
    expect((await register(gateway)).status).toBeLessThan(503);
    const other = await register(gateway, { body: '{"domain":"b.com"}' });
    expect(other.status).toBe(201);
    // A new operation must not get the first operation's outcome.
    expect(counted.operations).toEqual(["operation-2"]);
  });

  it("with a code that usually took effect frees the key if the service reports that nothing happened", async () => {
    const { gateway, counted } = await harness({
      before: refusing("registrar-failed", { hadNoEffect: true }),
    });
    expect((await register(gateway)).status).toBe(500);
    expect((await register(gateway)).status).toBe(201);
    expect(counted.operations).toEqual(["operation-2"]);
  });

  it("is stored by the operations that store an order before they call another service, and by no others", () => {
    const rejectionsOf = ({ refusals }: Operation) =>
      refusals.filter((code) => outcomeRuleOf({ code, message: "No." }) === "keep");
    const kept = operations
      .filter(takesIdempotencyKey)
      .map((operation) => [operation.id, rejectionsOf(operation)] as const)
      .filter(([, codes]) => codes.length > 0);
    expect(Object.fromEntries(kept)).toEqual({
      createTopUp: ["payment-refused"],
      orderServer: ["compute-failed"],
      registerDomain: ["registrar-failed"],
      renewDomain: ["registrar-failed"],
      restoreDomain: ["registrar-failed"],
      transferDomain: ["not-transferable", "invalid-auth-code", "registrar-failed"],
    });
    const common = operations.flatMap((operation) => commonRefusals(operation));
    expect(common.filter((code) => outcomeRuleOf({ code, message: "No." }) === "keep")).toEqual([]);
  });

  it.each(["registrar-failed", "compute-failed"] as const)(
    "that took effect (%s) is stored as its outcome",
    async (code) => {
      const { gateway, counted } = await harness({ before: refusing(code) });
      const first = await register(gateway);
      expect(first.status).toBe(500);
      const again = await register(gateway);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(counted.operations).toEqual([]);
    },
  );

  it.each([
    ["registrar-unavailable", 502],
    ["dns-unavailable", 502],
    ["compute-unavailable", 502],
    ["deadline-exceeded", 504],
    ["overloaded", 503],
    ["temporarily-unavailable", 503],
    ["internal", 500],
  ] as const)("of unknown effect (%s) is run again as the same operation", async (code, status) => {
    const { gateway, counted } = await harness({ before: refusing(code) });
    expect((await register(gateway)).status).toBe(status);
    expect(await register(gateway, { body: '{"domain":"b.com"}' })).toMatchObject({ status: 422 });
    expect((await register(gateway)).status).toBe(201);
    expect(counted.operations).toEqual(["operation-1"]);
  });

  it("after an earlier run without an end does not free it: that run may still be under way", async () => {
    const codes = ["internal", "insufficient-balance"] as const;
    const { gateway, counted } = await harness({
      before(turn) {
        const code = codes[turn - 1];
        return code === undefined
          ? Promise.resolve()
          : Promise.reject(rejectionError({ code, message: "No." }));
      },
    });
    expect((await register(gateway)).status).toBe(500);
    expect((await register(gateway)).status).toBe(400);
    expect((await register(gateway)).status).toBe(201);
    expect(counted.operations).toEqual(["operation-1"]);
  });
});

describe("a request that is cut off", () => {
  it("between its effect and its outcome has one effect, in another process too", async () => {
    const counted = countingDomains();
    const store = fakeIdempotencyService();
    const domains = {
      registerDomain: (_: unknown, context: WithContextValues) => counted.registered(context),
    };
    const dying = await gatewayUnderTest({
      domain: domains,
      // The service carries out the registration, but the process never stores the answer.
      idempotency: { ...store.handlers, completeRequest: () => new Promise(() => undefined) },
      requestTimeoutMs: 50,
    });
    expect((await register(dying)).status).toBe(504);
    const next = await gatewayUnderTest({ domain: domains, idempotency: store.handlers });
    const answer = await register(next);
    expect(answer).toMatchObject({ status: 201, json: { invoice_id: 1 } });
    expect(counted.operations).toEqual(["operation-1", "operation-1"]);
    expect(counted.effects()).toBe(1);
    const again = await register(next);
    expect([again.status, again.text]).toEqual([answer.status, answer.text]);
    expect(counted.operations).toHaveLength(2);
  });

  it("after its outcome, before its answer, gets the outcome", async () => {
    const store = fakeIdempotencyService();
    let isStored = false;
    const { gateway, counted } = await harness({
      idempotency: {
        ...store.handlers,
        async completeRequest(request, context) {
          await store.handlers.completeRequest(request, context);
          if (isStored) throw new Error("it is stored once");
          isStored = true;
          throw new ConnectError("the connection broke", Code.Unavailable);
        },
      },
    });
    expect((await register(gateway)).status).toBe(503);
    const again = await register(gateway);
    expect(again).toMatchObject({ status: 201, json: { invoice_id: 1 } });
    expect(counted.operations).toHaveLength(1);
  });
});

describe("what cannot be stored", () => {
  it.each([
    [new ConnectError("down", Code.Unavailable), 503],
    [new Error("disk full"), 500],
    [rejectionError({ code: "not-found", message: "No such request." }), 500],
    [rejectionError({ code: "validation-failed", message: "Too long." }), 500],
  ] as const)("is a 5xx (%s), and the same operation next time", async (error, status) => {
    const store = fakeIdempotencyService();
    let failures = 1;
    const { gateway, counted } = await harness({
      idempotency: {
        ...store.handlers,
        completeRequest(request, context) {
          failures -= 1;
          if (failures >= 0) throw error;
          return store.handlers.completeRequest(request, context);
        },
      },
    });
    const answer = await register(gateway);
    expect(answer).toMatchObject({ status, json: { status: false } });
    expect((await register(gateway)).status).toBe(201);
    expect(counted.effects()).toBe(1);
  });

  it("is the other run's answer if that has the key: the refusal may be caused by its work", async () => {
    const { gateway } = await harness({
      before: refusing("registration-in-flight"),
      idempotency: {
        releaseRequest() {
          throw rejectionError({
            code: "request-in-progress",
            message: "Another run of this request holds the Idempotency-Key.",
          });
        },
      },
    });
    const refused = await register(gateway);
    expect(refused).toMatchObject({ status: 409, json: { code: "request_in_progress" } });
    expect(refused.headers.get("retry-after")).toBe("1");
  });

  it("is a 5xx when the key of a refused request could not be freed", async () => {
    const { gateway } = await harness({
      before: refusing("insufficient-balance"),
      idempotency: {
        releaseRequest() {
          throw rejectionError({ code: "not-found", message: "No such request." });
        },
      },
    });
    expect(await register(gateway)).toMatchObject({ status: 500, json: { code: "internal" } });
    expect((await register(gateway)).status).toBe(201);
  });

  it("is an outcome of more than 256 KiB", async () => {
    const gateway = await gatewayUnderTest({
      domain: {
        registerDomain: () =>
          create(domain.RegisterDomainResponseSchema, {
            invoiceId: 1n,
            years: 1,
            domain: domainMessage(7n, "x".repeat(maximumOutcomeBytes)),
          }),
      },
    });
    expect(await register(gateway)).toMatchObject({ status: 500, json: { code: "internal" } });
    expect(gateway.log.at(-1)).toMatchObject({ level: "error" });
  });
});
