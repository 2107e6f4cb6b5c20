import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { maximumCents } from "../money/money.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { genericEndTerms, priceList, pricesAt, type SetPrice } from "./price-list.decider.ts";
import {
  priceListCodec,
  type PriceAnnounced,
  type PriceListEvent,
  type PriceSet,
} from "./price-list.events.ts";

const at = "2026-03-01T10:00:00.000000Z";
const spec = deciderSpec(priceList);

function setPrice(data: Partial<SetPrice["data"]> = {}): SetPrice {
  const prices = {
    registrationCents: 1_000n,
    renewalCents: 1_200n,
    transferCents: 900n,
    active: true,
    registrar: null,
    endTerms: {},
  };
  return { type: "SetPrice", data: { tld: "com", ...prices, at, ...data } };
}

const priceSet: PriceSet = {
  type: "PriceSet",
  data: {
    tld: "com",
    registrationCents: "1000",
    renewalCents: "1200",
    transferCents: "900",
    active: true,
    registrar: null,
    setAt: at,
  },
};

describe("the prices of an extension", () => {
  it("are set", () => {
    spec.given().when(setPrice()).then(priceSet);
  });

  it.each([
    ["de", 0, 30, 0],
    ["eu", 0, 40, 0],
    ["nl", 0, 40, 0],
    ["uk", 90, 0, 0],
  ])("of .%s start with the days of its registry", (tld, graceDays, redemptionDays, pendingDeleteDays) => {
    const first: PriceSet = { type: "PriceSet", data: { ...priceSet.data, tld } };
    const days = { graceDays, redemptionDays, pendingDeleteDays };
    const usual = {
      type: "ExtensionLifeCycleSet",
      data: { tld, ...days, restoreCents: null, setAt: at },
    } as const;
    spec.given().when(setPrice({ tld })).then(first, usual);
    // An extension that was priced before its usual life cycle was known has the generic life cycle.
    spec.given(first).when(setPrice({ tld })).thenNothing();
    const said = { ...usual, data: { ...usual.data, ...days, graceDays: 3 } };
    spec
      .given()
      .when(setPrice({ tld, endTerms: { graceDays: 3 } }))
      .then(first, said);
  });

  it("add no event if they are already in force", () => {
    spec
      .given(priceSet)
      .when(setPrice({ at: "2027-01-01T00:00:00.000000Z" }))
      .thenNothing();
  });

  it.each<Partial<SetPrice["data"]>>([
    { registrationCents: 1n },
    { renewalCents: 1n },
    { transferCents: 1n },
    { active: false },
    { registrar: "other" },
  ])("change with each of their parts: %o", (change) => {
    const written = Object.fromEntries(
      Object.entries(change).map(([name, value]) => [
        name,
        typeof value === "bigint" ? String(value) : value,
      ]),
    );
    spec
      .given(priceSet)
      .when(setPrice(change))
      .then({ type: "PriceSet", data: { ...priceSet.data, ...written } });
  });

  it("name the registrar that gets orders, until they are set without one", () => {
    const routed: PriceSet = { type: "PriceSet", data: { ...priceSet.data, registrar: "other" } };
    spec
      .given(routed)
      .when(setPrice({ registrar: "other" }))
      .thenNothing();
    spec.given(routed).when(setPrice()).then(priceSet);
  });

  it("go from being sold to not and back", () => {
    const retired: PriceSet = { type: "PriceSet", data: { ...priceSet.data, active: false } };
    spec.given(priceSet, retired).when(setPrice()).then(priceSet);
  });

  it("may be zero, and one billion euros", () => {
    const prices = { registrationCents: 0n, renewalCents: maximumCents, transferCents: 0n };
    const decision = priceList.decide(setPrice(prices), priceList.initialState);
    expect(decision.accepted).toBe(true);
  });

  it.each<Partial<SetPrice["data"]>>([
    { registrationCents: -1n },
    { renewalCents: -1n },
    { transferCents: -1n },
    { registrationCents: maximumCents + 1n },
  ])("are refused out of range: %o", (change) => {
    spec
      .given()
      .when(setPrice(change))
      .thenRejected("validation-failed", {
        fieldErrors: { price: ["must not be negative, and at most one billion euros"] },
      });
  });

  it.each(["", "c", "co.uk", ".com", "COM", "c0m", "xn--p1ai", "com\n", "a".repeat(64)])(
    "are refused for %j",
    (tld) => {
      spec
        .given()
        .when(setPrice({ tld }))
        .thenRejected("validation-failed", {
          fieldErrors: { tld: ["must be 2 to 63 letters a to z, without a dot"] },
        });
    },
  );

  it("retain the days for unrenewed names until these are set again", () => {
    const set = { tld: "com", graceDays: 0, redemptionDays: 30, pendingDeleteDays: 5, setAt: at } as const;
    const lifeCycleSet = { type: "ExtensionLifeCycleSet", data: { ...set, restoreCents: null } } as const;
    spec
      .given(priceSet)
      .when(setPrice({ endTerms: { graceDays: 0 } }))
      .then(lifeCycleSet);
    spec
      .given(priceSet, lifeCycleSet)
      .when(setPrice({ renewalCents: 1n }))
      .then({ type: "PriceSet", data: { ...priceSet.data, renewalCents: "1" } });
    spec
      .given(priceSet, lifeCycleSet, priceSet)
      .when(setPrice({ endTerms: { graceDays: 0 } }))
      .thenNothing();
    expect(() => priceList.evolve(priceList.initialState, lifeCycleSet)).toThrow(CorruptStreamError);
  });

  it.each([{ graceDays: -1 }, { redemptionDays: 366 }, { pendingDeleteDays: 1.5 }])(
    "are refused with days that no registry has: %o",
    (endTerms) => {
      spec
        .given()
        .when(setPrice({ endTerms }))
        .thenRejected("validation-failed", {
          fieldErrors: { days: ["must be whole numbers from 0 to 365"] },
        });
    },
  );

  it("fold to the last prices", () => {
    const dearer: PriceSet = { type: "PriceSet", data: { ...priceSet.data, registrationCents: "1100" } };
    expect([priceSet, dearer].reduce(priceList.evolve, priceList.initialState)).toEqual({
      status: "priced",
      registrationCents: 1_100n,
      renewalCents: 1_200n,
      transferCents: 900n,
      active: true,
      registrar: null,
      endTerms: genericEndTerms,
      announced: null,
    });
  });
});

describe("prices of version 1, of before there were several registrars", () => {
  const { registrar, ...v1 } = priceSet.data;

  it("name none", () => {
    expect(priceListCodec.decode("PriceSet.v1", JSON.stringify(v1))).toEqual(priceSet);
    expect(registrar).toBeNull();
    expect(priceListCodec.storedType("PriceSet")).toBe("PriceSet.v2");
  });

  it("cannot name one", () => {
    const named = JSON.stringify({ ...v1, registrar: "other" });
    expect(() => priceListCodec.decode("PriceSet.v1", named)).toThrow('Unrecognized key: "registrar"');
  });
});

describe("prices that are announced", () => {
  const validFrom = "2027-01-01T00:00:00.000000Z";
  const before = "2026-12-31T23:59:59.999999Z";
  const announced: PriceAnnounced = {
    type: "PriceAnnounced",
    data: { ...priceSet.data, registrationCents: "1500", validFrom },
  };
  const requested = { registrationCents: 1_500n, validFrom };
  const costAt = (instant: string, ...events: readonly PriceListEvent[]) => {
    const state = pricesAt(events.reduce(priceList.evolve, priceList.initialState), instant);
    return state.status === "priced" ? state.registrationCents : undefined;
  };

  it("apply from their instant on, not a microsecond before", () => {
    spec.given(priceSet).when(setPrice(requested)).then(announced);
    expect([before, validFrom].map((instant) => costAt(instant, priceSet, announced))).toEqual([
      1_000n,
      1_500n,
    ]);
  });

  it("are announced once, and replaced by another announcement", () => {
    spec.given(priceSet, announced).when(setPrice(requested)).thenNothing();
    const later = "2027-02-01T00:00:00.000000Z";
    spec
      .given(priceSet, announced)
      .when(setPrice({ ...requested, validFrom: later }))
      .then({ ...announced, data: { ...announced.data, validFrom: later } });
  });

  it("that are in force are fixed before others are announced", () => {
    const next = { registrationCents: 1_600n, validFrom: "2028-01-01T00:00:00.000000Z" };
    spec
      .given(priceSet, announced)
      .when(setPrice({ ...next, at: validFrom }))
      .then(
        { ...priceSet, data: { ...priceSet.data, registrationCents: "1500", setAt: validFrom } },
        {
          ...announced,
          data: {
            ...announced.data,
            registrationCents: "1600",
            validFrom: next.validFrom,
            setAt: validFrom,
          },
        },
      );
  });

  it("are withdrawn by prices that are set at once, also by equal ones", () => {
    spec.given(priceSet, announced).when(setPrice()).then(priceSet);
    expect(costAt(validFrom, priceSet, announced, priceSet)).toBe(1_000n);
    // Announced prices replace the earlier prices when they come into force.
    spec
      .given(priceSet, announced)
      .when(setPrice({ registrationCents: 1_500n, at: validFrom }))
      .thenNothing();
  });

  it.each<[string, Partial<SetPrice["data"]>]>([
    ["the present", { validFrom: at }],
    ["the past", { validFrom: "2026-02-28T10:00:00.000000Z" }],
    ["six years ahead", { validFrom: "2032-03-01T10:00:00.000000Z" }],
    ["days of their end", { validFrom, endTerms: { graceDays: 1 } }],
  ])("are refused with %s", (_what, wrong) => {
    spec.given(priceSet).when(setPrice(wrong)).thenRejected("validation-failed");
  });

  it("are refused for an extension without prices", () => {
    spec.given().when(setPrice(requested)).thenRejected("validation-failed");
    expect(() => priceList.evolve(priceList.initialState, announced)).toThrow(CorruptStreamError);
  });
});

describe("a change of one price", () => {
  const change = (data: Partial<SetPrice["data"]>): SetPrice => ({
    type: "SetPrice",
    data: { tld: "com", endTerms: {}, at, ...data },
  });
  const routed: PriceSet = {
    ...priceSet,
    data: { ...priceSet.data, active: false, registrar: "registry-two" },
  };
  const validFrom = "2027-01-01T00:00:00.000000Z";
  const announced: PriceAnnounced = {
    type: "PriceAnnounced",
    data: { ...routed.data, transferCents: "100", validFrom },
  };

  it("keeps the other prices, the registrar and the sale", () => {
    const renewed = { ...routed, data: { ...routed.data, renewalCents: "1300" } };
    spec
      .given(routed)
      .when(change({ renewalCents: 1_300n }))
      .then(renewed);
    spec
      .given(renewed)
      .when(change({ renewalCents: 1_300n }))
      .thenNothing();
    spec
      .given(routed)
      .when(change({ active: true }))
      .then({ ...routed, data: { ...routed.data, active: true } });
  });

  it("that is announced keeps the other prices of that time", () => {
    const later = "2027-02-01T00:00:00.000000Z";
    spec
      .given(routed, announced)
      .when(change({ renewalCents: 1_300n, validFrom: later }))
      .then({ ...announced, data: { ...announced.data, renewalCents: "1300", validFrom: later } });
  });

  it("is refused of an extension without prices, which needs all three", () => {
    const decision = priceList.decide(
      change({ renewalCents: 1n, transferCents: 1n }),
      priceList.initialState,
    );
    expect(decision).toMatchObject({
      accepted: false,
      rejection: {
        code: "validation-failed",
        message: "The extension com has no prices yet: name all three.",
        detail: { fieldErrors: { registrationCents: ["is missing"] } },
      },
    });
  });
});
