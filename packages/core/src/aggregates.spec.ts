import { describe, expect, it } from "vitest";

import { charged, credited, opened } from "./account/account.fixture.ts";
import type { AccountEvent } from "./account/account.events.ts";
import { accountAggregate, domainAggregate, stockAggregate } from "./aggregates.ts";
import { samples as stockEvents } from "./catalogue/catalogue.fixture.ts";
import type { StockEvent } from "./catalogue/catalogue.events.ts";
import { samples as domainEvents } from "./domain/domain.fixture.ts";
import type { DomainNameEvent } from "./domain/domain.events.ts";

describe("the estimated memory of a state", () => {
  it("grows with the charges and the payments of an account", () => {
    const { decider, bytesOf } = accountAggregate;
    const bytesAfter = (events: readonly AccountEvent[]): number =>
      bytesOf(events.reduce(decider.evolve, decider.initialState));
    expect(bytesAfter([])).toBe(0);
    expect(bytesAfter([opened()])).toBe(0);
    const paid = bytesAfter([opened(), ...credited()]);
    expect(paid).toBeGreaterThan(0);
    expect(bytesAfter([opened(), ...credited(), ...charged()])).toBeGreaterThan(paid);
  });

  it("grows with the records of a name's zone", () => {
    const { decider, bytesOf } = domainAggregate;
    const bytesAfter = (events: readonly DomainNameEvent[]): number =>
      bytesOf(events.reduce(decider.evolve, decider.initialState));
    const { RegistrationReserved, DomainRegistered, ZoneCreated } = domainEvents;
    const registered = [RegistrationReserved, DomainRegistered];
    expect(bytesAfter([RegistrationReserved])).toBe(0);
    expect(bytesAfter(registered)).toBe(0);
    const records = Array.from({ length: 500 }, (_, copy) =>
      ZoneCreated.data.records.map((record, at) => ({ ...record, recordId: 2 * copy + at + 1 })),
    ).flat();
    const created = { ...ZoneCreated, data: { ...ZoneCreated.data, records } };
    expect(bytesAfter([...registered, created])).toBe(1_000 * 500);
  });

  it("grows with the orders of a plan in a region", () => {
    const { decider, bytesOf } = stockAggregate;
    const bytesAfter = (events: readonly StockEvent[]): number =>
      bytesOf(events.reduce(decider.evolve, decider.initialState));
    const { StockSet, StockUnitReserved } = stockEvents;
    expect(bytesAfter([StockSet])).toBe(0);
    expect(bytesAfter([StockSet, StockUnitReserved])).toBe(200);
  });
});
