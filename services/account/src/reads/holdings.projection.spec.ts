import { projectionSpec, type ExpectedRows } from "@hostledger/read/testing";
import { describe, expect, it, test } from "vitest";

import { examples, stored, typesInStreams } from "./account-subscription.fixture.ts";
import type { holdingTables } from "./account.tables.ts";
import { holdings } from "./holdings.projection.ts";

const nothing: ExpectedRows<typeof holdingTables> = { holdings: [] };
const domain: ExpectedRows<typeof holdingTables> = {
  holdings: [{ resource: "domain-example.com", account_id: 7 }],
};
const server: ExpectedRows<typeof holdingTables> = { holdings: [{ resource: "server-5", account_id: 7 }] };

const begins = {
  RegistrationReserved: domain,
  TransferReserved: domain,
  ServerOrdered: server,
} as const;
const ends = {
  RegistrationReleased: examples.RegistrationReserved,
  DomainDeleted: examples.RegistrationReserved,
  DomainTransferredAway: examples.RegistrationReserved,
  TransferReleased: examples.TransferReserved,
  ServerOrderFailed: examples.ServerOrdered,
  ServerTerminationBegun: examples.ServerOrdered,
} as const;

const isIn = <Names extends object>(names: Names, type: string): type is Extract<keyof Names, string> =>
  type in names;

describe("what an account has", () => {
  test.each(Object.values(examples))("$type", (event) => {
    const { type } = event;
    projectionSpec(holdings)
      .when(stored(event))
      .then(isIn(begins, type) ? begins[type] : nothing);
  });

  it.each(Object.entries(ends))("is reduced by %s", (type, before) => {
    const event = Object.values(examples).find((one) => one.type === type);
    if (event === undefined) throw new Error(`no example of ${type}`);
    projectionSpec(holdings).given(stored(before)).when(stored(event)).then(nothing);
  });

  it("stays while it is used and renewed", () => {
    projectionSpec(holdings)
      .given(stored(examples.RegistrationReserved), stored(examples.DomainRegistered))
      .when(stored(examples.DomainRenewed))
      .then(domain);
  });

  it("stops at no event of the streams that it follows", () => {
    expect(Object.keys(holdings.handlers).toSorted()).toEqual(typesInStreams.toSorted());
  });
});
