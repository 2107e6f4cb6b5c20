import { create } from "@bufbuild/protobuf";
import { admin } from "@hostledger/protocol";
import { expect, it } from "vitest";

import { documentOf, viewOf } from "./message-document.ts";

const charge = create(admin.AccountChargeSchema, {
  chargeId: "registration-1",
  accountId: 7n,
  grossCents: 1_190n,
  chargedAt: "2026-03-01T10:00:00.000001Z",
});

it("prints a message under the names of its fields, with ids as numbers and cents as euros", () => {
  expect(documentOf(admin.AccountChargeSchema, charge)).toMatchObject({
    charge_id: "registration-1",
    account_id: 7,
    gross: "11.90",
    refunded: "0.00",
  });
});

it("renames and leaves out fields, and has null for absent values", () => {
  const domain = create(admin.StaffDomainSchema, { id: 3n, nameservers: ["ns1.example.com"] });
  const document = documentOf(admin.StaffDomainSchema, domain, { id: "domain_id", provider: null });
  expect(document).toMatchObject({ domain_id: 3, nameservers: ["ns1.example.com"], expiry_date: null });
  expect(Object.keys(document)).not.toContain("provider");
});

it("prints the messages within a message", () => {
  const zone = create(admin.SandboxZoneSchema, { name: "a.com", records: [{ type: "A", ttl: 60 }] });
  expect(documentOf(admin.SandboxZoneSchema, zone)).toMatchObject({
    records: [{ type: "A", ttl: 60, priority: null }],
  });
});

it("aligns figures right, and refuses a missing answer", () => {
  const charges = viewOf(admin.AccountChargeSchema, { gross: "grossCents", charge: "chargeId" });
  expect(
    charges
      .list([charge, { ...charge, grossCents: 5n }])
      .text.split("\n")
      .slice(1),
  ).toEqual(["11.90  registration-1", " 0.05  registration-1", ""]);
  expect(() => charges.one({ gross: "grossCents" }, undefined)).toThrow("without its AccountCharge");
});
