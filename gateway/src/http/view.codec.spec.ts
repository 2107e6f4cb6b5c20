import { create } from "@bufbuild/protobuf";
import { domain, server } from "@hostledger/protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { euroAmount, id } from "./values.schema.ts";
import { present, view } from "./view.codec.ts";

const renewal = z.object({
  status: z.literal(true),
  years: z.int(),
  invoice_id: id,
  amount_charged: euroAmount,
});

const renewalView = view(domain.RenewDomainResponseSchema, renewal, { status: true });

describe("a message as JSON", () => {
  const message = create(domain.RenewDomainResponseSchema, {
    invoiceId: 42n,
    amountChargedCents: 1_190n,
    years: 2,
  });

  it("has ids as numbers, cents as euros and constants, in the schema's order", () => {
    expect(JSON.stringify(renewalView(message))).toBe(
      '{"status":true,"years":2,"invoice_id":42,"amount_charged":11.9}',
    );
  });

  it("has null for an absent field, and nothing if its function returns nothing", () => {
    const shown = view(
      server.ServerSchema,
      z.object({ hostname: z.string().nullable(), warning: z.string().optional(), node: z.string() }),
      { warning: () => undefined },
    );
    expect(JSON.stringify(shown(create(server.ServerSchema, { node: "" })))).toBe(
      '{"hostname":null,"node":""}',
    );
    expect(shown(create(server.ServerSchema, { hostname: "web-1" })).hostname).toBe("web-1");
  });

  it("may compute a property from other fields", () => {
    const shown = view(server.RegionSchema, z.object({ id, code: z.string() }), {
      code: ({ code }) => code.toUpperCase(),
    });
    expect(shown(create(server.RegionSchema, { id: 3n, code: "fra1" }))).toEqual({ id: 3, code: "FRA1" });
  });

  it("refuses cents that a JSON number could not print", () => {
    expect(() => renewalView({ ...message, amountChargedCents: 10n ** 15n })).toThrow(RangeError);
  });

  it("does not compile with a missing property or a field of another kind", () => {
    // @ts-expect-error: nothing says what `status` is.
    expect(view(domain.RenewDomainResponseSchema, renewal, {})).toBeTypeOf("function");
    // @ts-expect-error: years are a number.
    view(domain.RenewDomainResponseSchema, z.object({ years: z.string() }), {});
    // @ts-expect-error: a host name may be absent.
    view(server.ServerSchema, z.object({ hostname: z.string() }), {});
  });
});

describe("a field that a service always sends", () => {
  it("is copied, and named if it is missing", () => {
    expect(present(0, "Some.field")).toBe(0);
    expect(() => present(undefined, "Some.field")).toThrow("Some.field is missing from a service's answer");
  });
});
