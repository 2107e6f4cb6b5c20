import { create } from "@bufbuild/protobuf";
import { domain } from "@hostledger/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { failure } from "./refusal.ts";
import { domainMessage } from "../testing/fake-services.ts";
import { gatewayUnderTest } from "../testing/gateway-under-test.ts";

const anything = fc.anything({ withNullPrototype: true });
const almostAnOrder = fc.record(
  {
    domain: fc.oneof(fc.constant("example.com"), fc.string({ unit: "binary" }), anything),
    years: fc.oneof(fc.integer(), fc.double(), anything),
    auto_renew: fc.oneof(fc.boolean(), anything),
    nameservers: fc.oneof(fc.array(fc.oneof(fc.domain(), fc.string({ unit: "binary" }), anything)), anything),
    ["__proto__"]: anything,
    constructor: anything,
  },
  { requiredKeys: [] },
);
const text = fc.oneof(
  fc.json(),
  almostAnOrder.map((value) =>
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? 0 : inner)),
  ),
  fc.string({ unit: "binary" }),
  fc.uint8Array({ maxLength: 200 }),
);

describe("a request of any kind", () => {
  it("is answered 201 or refused with a 4xx of the common shape, and never breaks the gateway", async () => {
    const registered = create(domain.RegisterDomainResponseSchema, {
      invoiceId: 1n,
      amountChargedCents: 1_190n,
      years: 1,
      domain: domainMessage(7n, "example.com"),
    });
    const gateway = await gatewayUnderTest({ domain: { registerDomain: () => registered } });
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        const answer = await gateway.request("/domains", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: typeof body === "string" ? body : Buffer.from(body),
        });
        expect(answer.status === 201 || (answer.status >= 400 && answer.status < 500)).toBe(true);
        if (answer.status !== 201) expect(failure.strict().safeParse(answer.json).error).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  it("with any path and query is answered, and never with a 5xx", async () => {
    const gateway = await gatewayUnderTest();
    const segment = fc.oneof(
      fc.constantFrom("domains", "billing", "balance", "7", "..", "%", "%00"),
      fc.webSegment(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(segment, { maxLength: 4 }),
        fc.webQueryParameters(),
        async (segments, query) => {
          const answer = await gateway.request(`/${segments.join("/")}?${query}`);
          expect(answer.status).toBeLessThan(500);
        },
      ),
      { numRuns: 200 },
    );
  });
});
