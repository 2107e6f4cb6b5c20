import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { account } from "./account.decider.ts";
import { erasedText, notAvailableText } from "../kernel/fields.ts";
import { accountCodec, type AccountEvent } from "./account.events.ts";
import { at, opened } from "./account.fixture.ts";
import { changeProfile, organisationProfile, profileChanged } from "./profile.fixture.ts";
import { countryCodes, isCountry } from "../tax/countries.ts";
import {
  emptyProfile,
  eppPhone,
  missingOfRegistrant,
  parseProfileKind,
  parseProfileText,
  profileLimits,
  profileTexts,
} from "./profile.ts";

const spec = deciderSpec(account);
const erased: AccountEvent = {
  type: "PersonalDataErased",
  data: { accountId: 7, because: "asked", erasedAt: at },
};
const after = (...events: readonly AccountEvent[]) => {
  const state = events.reduce(account.evolve, account.initialState);
  if (state.status !== "open") throw new Error("the account is open");
  return state.profile;
};

describe("a profile", () => {
  it.each([erasedText, notAvailableText, "sealed:v2:account-7:AbCdEfGh:x_-1"])(
    "is read if its texts are %s, which is longer than a country",
    (withheld) => {
      const texts = { country: withheld, postalCode: withheld, phone: withheld, name: withheld };
      const { data } = profileChanged(texts);
      expect(accountCodec.decode("ProfileChanged.v2", JSON.stringify(data))).toMatchObject({ data: texts });
    },
  );

  it("is complete in every event, and a change keeps the fields that it does not name", () => {
    spec
      .given(opened(), profileChanged())
      .when(changeProfile({ city: "Potsdam", organisation: "" }))
      .then(profileChanged({ version: 2, city: "Potsdam" }));
  });

  it("counts its changes, so equal numbers mean equal data; a change without effect adds no event", () => {
    spec.given(opened()).when(changeProfile({})).thenNothing();
    spec
      .given(opened(), profileChanged())
      .when(changeProfile({ name: "Ada Lovelace", kind: "person" }))
      .thenNothing();
    spec
      .given(opened(), profileChanged())
      .when(changeProfile({ kind: null, email: "" }))
      .then(profileChanged({ version: 2, kind: null, email: "" }));
  });

  it("drops fields of the old kind that a change of kind does not name", () => {
    const { vatId, organisation: name } = organisationProfile;
    const ofOrganisation = { kind: "organisation", organisation: name } as const;
    const organisation = profileChanged({ ...ofOrganisation, vatId });
    const before = spec.given(opened(), organisation);
    before.when(changeProfile({ kind: "person" })).then(profileChanged({ version: 2 }));
    before
      .when(changeProfile({ kind: "person", name: "Eva Person", vat_id: "" }))
      .then(profileChanged({ version: 2, name: "Eva Person" }));
    spec
      .given(opened(), profileChanged({ ...ofOrganisation, leitwegId: "991-03730-19" }))
      .when(changeProfile({ kind: "person" }))
      .then(profileChanged({ version: 2 }));
    // A person in business may have a VAT id.
    before.when(changeProfile({ kind: "person", vat_id: vatId })).then(profileChanged({ version: 2, vatId }));
    before
      .when(changeProfile({ kind: null }))
      .then(profileChanged({ ...ofOrganisation, version: 2, kind: null, vatId }));
    spec
      .given(opened(), profileChanged({ vatId }))
      .when(changeProfile({ kind: "organisation", organisation: "Analytical Engines GmbH" }))
      .then(profileChanged({ ...ofOrganisation, version: 2, vatId: "" }));
    // A VAT id set before the kind belongs to the first kind that the customer sets.
    spec
      .given(opened(), profileChanged({ ...ofOrganisation, kind: null, vatId }))
      .when(changeProfile({ kind: "organisation" }))
      .then(profileChanged({ ...ofOrganisation, version: 2, vatId }));
  });

  it("of a person stored with an organisation drops the organisation when the kind is set again", () => {
    const before = spec.given(opened(), profileChanged({ organisation: "Old GmbH", vatId: "DE123456788" }));
    before.when(changeProfile({ kind: "person" })).then(profileChanged({ version: 2, vatId: "DE123456788" }));
    before
      .when(changeProfile({ city: "Potsdam" }))
      .then(profileChanged({ version: 2, city: "Potsdam", organisation: "Old GmbH", vatId: "DE123456788" }));
  });

  it("is removed by an erasure and does not return", () => {
    expect(after(opened(), profileChanged(), erased)).toEqual(emptyProfile);
    spec
      .given(opened(), profileChanged(), erased)
      .when(changeProfile({ name: "Eve" }))
      .thenRejected("account-not-open");
  });

  it("is corrupt if a change is missing", () => {
    expect(() => after(opened(), profileChanged({ version: 2 }))).toThrow("version 0 of the profile");
  });

  it("names the missing fields that registries require, such as the organisation's name", () => {
    expect(missingOfRegistrant(after(opened(), profileChanged()))).toEqual([]);
    expect(missingOfRegistrant(after(opened(), profileChanged({ kind: "organisation", email: "" })))).toEqual(
      ["organisation", "email"],
    );
    expect(missingOfRegistrant(emptyProfile)).toEqual(
      "kind name street city postal_code country email phone".split(" "),
    );
  });
});

describe("a field of a profile", () => {
  it.each(profileTexts)("removes %s if it is empty, and refuses longer values than its limit", (field) => {
    expect(parseProfileText(field, " ")).toEqual({ ok: true, value: "" });
    for (const text of [
      "x".repeat(profileLimits[field] + 1),
      "x".repeat(10_240),
      "a\nb",
      "a\u202eb",
      "\ud800",
    ])
      expect(parseProfileText(field, text).ok).toBe(false);
  });

  it("counts characters, not surrogate halves", () => {
    expect(parseProfileText("name", "😀".repeat(200)).ok).toBe(true);
    expect(parseProfileText("name", "😀".repeat(201)).ok).toBe(false);
  });

  it.each([
    ["country", "DE", ["de", "XX", "D", "Deutschland"]],
    [
      "email",
      "ada@example.com",
      ["ada", "ada@", "ada@example.com\r\nBcc: eve@example.com", "a b@example.com"],
    ],
    ["phone", "+49.3012345678", ["030", "+49 30 12345678", "+49"]],
    ["leitweg_id", "991-03730-19", ["991-03730-18", "991-03730", "991"]],
    ["vat_id", "DE123456788", ["123456789", "D1", "XX123", "DE123456780", "DE_123456788"]],
  ] as const)("has a rule for %s", (field, right, wrong) => {
    expect(parseProfileText(field, right)).toEqual({ ok: true, value: right });
    for (const text of wrong) expect(parseProfileText(field, text).ok).toBe(false);
  });

  it("accepts the kinds person and organisation only", () => {
    expect(
      ["person", "organisation", "", "robot", "Person"].map((kind) => parseProfileKind(kind).ok),
    ).toEqual([true, true, true, false, false]);
  });
});

it("contain the 249 codes that ISO 3166-1 has assigned, each once", () => {
  expect(new Set(countryCodes).size).toBe(249);
  expect(countryCodes).toEqual(countryCodes.toSorted());
  expect(["DE", "GB", "EU", "UK", "de", "XX", "", "D"].filter(isCountry)).toEqual(["DE", "GB"]);
});

it.each([
  ["+493012345678", "+49.3012345678"],
  ["+49.3012345678", "+49.3012345678"],
  ["+12125550100", "+1.2125550100"],
  ["+79161234567", "+7.9161234567"],
  ["+358401234567", "+358.401234567"],
  ["+3531234567", "+353.1234567"],
  ["+442071838750", "+44.2071838750"],
])("writes %s in EPP's form", (text, epp) => {
  expect(eppPhone(text)).toBe(epp);
});

it.each([
  "",
  "030123456",
  "+",
  "+49",
  "+0123456789",
  "+4.93012345678",
  "+493.012345678",
  "+49 30 1234567",
  "+49.30.1234567",
  "+4930123456789012",
  "+٤٩٣٠١٢٣٤٥٦",
  "tel:+493012345678",
])("refuses the number %j", (text) => {
  expect(eppPhone(text)).toBeUndefined();
});
