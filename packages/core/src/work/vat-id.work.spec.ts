import { describe, expect, it } from "vitest";

import { account } from "../account/account.decider.ts";
import type { AccountEvent } from "../account/account.events.ts";
import { opened } from "../account/account.fixture.ts";
import { profileChanged } from "../account/profile.fixture.ts";
import { nextOfVatId } from "./vat-id.work.ts";

const german = { country: "DE", isSmallBusiness: false };
const dutch = {
  kind: "organisation",
  organisation: "Hosting BV",
  country: "NL",
  vatId: "NL004495445B01",
} as const;
const now = "2026-03-01T10:00:00.000000Z";
const ask = { do: { type: "ask", vatId: "NL004495445B01", name: "Hosting BV" } };

const next = (events: readonly AccountEvent[], at = now, seller = german) =>
  nextOfVatId({ account: [opened(), ...events].reduce(account.evolve, account.initialState), seller }, at);
const checked = (
  outcome: "valid" | "invalid" | "unanswered",
  checkedAt = now,
  vatId: string = dutch.vatId,
): AccountEvent => ({
  type: "VatIdChecked",
  data: { accountId: 7, vatId, outcome, consultationNumber: "", checkedAt },
});

describe("the work on a VAT id", () => {
  it("asks about the VAT id of a company in another member state", () => {
    expect(next([profileChanged(dutch)])).toEqual(ask);
  });

  it.each([
    ["no profile", [], german],
    ["no VAT id", [profileChanged({ ...dutch, vatId: "" })], german],
    ["a person", [profileChanged({ ...dutch, kind: "person" })], german],
    ["a company at home", [profileChanged({ ...dutch, country: "DE", vatId: "DE123456788" })], german],
    [
      "a company outside the Union",
      [profileChanged({ ...dutch, country: "CH", vatId: "CHE107787577" })],
      german,
    ],
    ["a company in no country", [profileChanged({ ...dutch, country: "" })], german],
    ["a small business that sells", [profileChanged(dutch)], { ...german, isSmallBusiness: true }],
  ] as const)("asks nothing about %s, whose answer decides no tax", (_whom, events, seller) => {
    expect(next(events, now, seller)).toBe("done");
  });

  it("asks again after a week, after every answer", () => {
    for (const outcome of ["valid", "invalid"] as const) {
      const events = [profileChanged(dutch), checked(outcome)];
      expect(next(events)).toEqual({ wait: "2026-03-08T10:00:00.000000Z" });
      expect(next(events, "2026-03-08T10:00:00.000000Z")).toEqual(ask);
    }
  });

  it("asks at once about another VAT id", () => {
    expect(next([profileChanged(dutch), checked("valid", now, "NL000099998B57")])).toEqual(ask);
  });

  it("pauses longer after each question without an answer, up to a day", () => {
    const after = (count: number) => [
      profileChanged(dutch),
      ...Array.from({ length: count }, () => checked("unanswered")),
    ];
    expect(next(after(1))).toEqual({ wait: "2026-03-01T10:10:00.000000Z" });
    expect(next(after(3))).toEqual({ wait: "2026-03-01T10:40:00.000000Z" });
    expect(next(after(50))).toEqual({ wait: "2026-03-02T10:00:00.000000Z" });
    expect(next([...after(3), checked("valid")])).toEqual({ wait: "2026-03-08T10:00:00.000000Z" });
  });
});
