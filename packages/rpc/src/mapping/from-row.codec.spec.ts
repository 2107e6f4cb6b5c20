import { domain, server } from "@hostledger/protocol";
import { describe, expect, expectTypeOf, it } from "vitest";

import { fromRow, type Camel } from "./from-row.codec.ts";

interface RecordRow {
  readonly id: number;
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly ttl_seconds: number;
  readonly priority: number | null;
  readonly created_at: string;
}

const row: RecordRow = {
  id: 20,
  type: "MX",
  name: "@",
  value: "mail.example.com",
  ttl_seconds: 3_600,
  priority: 0,
  created_at: "2026-03-01T10:00:00.000000Z",
};

const recordMessage = fromRow<RecordRow>().toMessage(domain.DnsRecordSchema, {
  ttl: ({ ttl_seconds: ttlSeconds }) => ttlSeconds,
});

describe("a row as a message", () => {
  it("fills the fields with their columns' names, and computes the others as declared", () => {
    expect(recordMessage(row)).toEqual({
      id: 20n,
      type: "MX",
      name: "@",
      value: "mail.example.com",
      ttl: 3_600,
      priority: 0,
      createdAt: row.created_at,
    });
  });

  it("leaves out null values", () => {
    expect(Object.keys(recordMessage({ ...row, priority: null }))).not.toContain("priority");
  });

  it.each([
    [1, true],
    [0, false],
    [true, true],
    [false, false],
  ])("reads the flag %s", (enable, expected) => {
    const rule = { pos: 0, type: "in", action: "DROP", proto: "", dport: "", sport: "" };
    const ruleMessage = fromRow<
      typeof rule & { source: string; dest: string; comment: string; enable: number | boolean }
    >().toMessage(server.FirewallRuleSchema, { provider: () => false });
    expect(ruleMessage({ ...rule, source: "", dest: "", comment: "", enable })).toMatchObject({
      enable: expected,
    });
  });

  it("may compute a field from other columns, and ignores columns without a field", () => {
    const regionMessage = fromRow<{ id: number; code: string; location: string; secret: string }>().toMessage(
      server.RegionSchema,
      { location: ({ location }) => location.toUpperCase() },
    );
    expect(regionMessage({ id: 3, code: "fra1", location: "Frankfurt", secret: "s" })).toEqual({
      id: 3n,
      code: "fra1",
      location: "FRANKFURT",
    });
  });

  it("does not compile with a missing field or a column of another kind", () => {
    // @ts-expect-error: nothing says what `ttl` is.
    fromRow<RecordRow>().toMessage(domain.DnsRecordSchema, {});
    // @ts-expect-error: a text is no id.
    fromRow<{ id: string; code: string; location: string }>().toMessage(server.RegionSchema, {});
    // @ts-expect-error: the message always has a location.
    fromRow<{ id: number; code: string; location: string | null }>().toMessage(server.RegionSchema, {});
    expectTypeOf<Camel<"uses_service_nameservers">>().toEqualTypeOf<"usesServiceNameservers">();
  });
});
