import { describe, expect, it } from "vitest";

import type { ChangeProfile } from "../account/account.commands.ts";
import { account } from "../account/account.decider.ts";
import type { AccountEvent } from "../account/account.events.ts";
import { opened } from "../account/account.fixture.ts";
import { changeProfile, profileChanged } from "../account/profile.fixture.ts";
import { parseProfileText } from "../account/profile.ts";
import { faultOfVatCountry, faultOfVatId, hasVatPrefix } from "./vat-id.ts";

/** Valid VAT ids of each country that checks digits, including rare shapes. */
const right = [
  "ATU13585627 BE0428759497 BE1000000021 BG175074752 CY10259033P CZ25123891 CZ7103192745 DE136695976 DE123456788 DK13585628",
  "EE100931558 EL094259216 GR094259216 ESB58378431 ESX5253868R FI20774740 FR40303265045 FRK7399859412 GB980780684 GBGD001",
  "HR33392005961 HU12892312 IE6433435F IE6433435OA IT00743110157 LT119511515 LT100001919017 LU15027442 LV40003521600",
  "MT11679112 NL004495445B01 NL000099998B57 NO995525828MVA PL8567346215 PT501964843 RO18547290 SE556188840401 SI50223054",
  "SK2022749619 XI980780684 CHE107787577MWST CHE107787577",
]
  .join(" ")
  .split(" ");

describe("a VAT id", () => {
  it.each(right)("%s is valid", (vatId) => {
    expect(faultOfVatId(vatId)).toBeUndefined();
    expect(hasVatPrefix(vatId)).toBe(true);
  });

  it.each(right.filter((vatId) => !/^(?:GBGD|CHE107787577M|FRK|LV)/.test(vatId)))(
    "%s has a check digit",
    (vatId) => {
      // At least seven of nine wrong digits are detected. Latvia, and letters in France, depend on the kind of number.
      const at = vatId.search(/\d/);
      const others = "0123456789".split("").filter((digit) => digit !== vatId[at]);
      const wrong = others.filter(
        (digit) => faultOfVatId(`${vatId.slice(0, at)}${digit}${vatId.slice(at + 1)}`) !== undefined,
      );
      expect(wrong.length).toBeGreaterThanOrEqual(7);
    },
  );

  it.each([
    ["XX123", /country's prefix/u],
    ["EU123456789", /country's prefix/u],
    ["123456789", /country's prefix/u],
    ["DE000000000", /shape of a VAT id of DE/u],
    ["PT000000000", /shape of a VAT id of PT/u],
    ["NL004495445B00", /shape of a VAT id of NL/u],
    ["DE123456789", /DE: its check digit is wrong/u],
    ["DE12345678", /shape of a VAT id of DE/u],
    ["XI980780685", /XI: its check digit is wrong/u],
    ["ATU1", /shape/u],
  ])("%s is refused", (vatId, sentence) => {
    expect(faultOfVatId(vatId)).toMatch(sentence);
  });

  it.each([
    ["de123456788", "DE123456788"],
    [" DE 123 456 788", "DE123456788"],
    ["DE-123456788", "DE123456788"],
    ["NL 0044.95.445.B.01", "NL004495445B01"],
    ["CHE-107.787.577 MWST", "CHE107787577MWST"],
  ])("written as %j is %s", (written, plain) => {
    expect(parseProfileText("vat_id", written)).toEqual({ ok: true, value: plain });
  });

  it("needs only the country's prefix if the country's numbers cannot be checked", () => {
    expect(faultOfVatId("US123456789")).toBeUndefined();
  });
});

describe("a VAT id and the profile's country", () => {
  it.each([
    ["DE123456788", "DE"],
    ["EL094259216", "GR"],
    ["GR094259216", "GR"],
    ["XI980780684", "GB"],
    ["GB980780684", "GB"],
    ["FR40303265045", "MC"],
    ["CHE107787577", "LI"],
    ["", "DE"],
    ["DE123456788", ""],
  ])("%j fits %j", (vatId, country) => {
    expect(faultOfVatCountry(vatId, country)).toBeUndefined();
  });

  it.each([
    ["ATU13585627", "DE", "must begin with DE, as VAT ids of the profile's country DE do"],
    ["DE123456788", "GR", "must begin with EL or GR, as VAT ids of the profile's country GR do"],
    ["XI980780684", "IE", "must begin with IE, as VAT ids of the profile's country IE do"],
  ])("%s does not fit %s", (vatId, country, sentence) => {
    expect(faultOfVatCountry(vatId, country)).toBe(sentence);
  });
});

describe("a profile", () => {
  const changing = (changes: ChangeProfile["data"]["changes"], ...history: readonly AccountEvent[]) =>
    account.decide(
      changeProfile(changes),
      [opened(), ...history].reduce(account.evolve, account.initialState),
    );
  const refusal = { accepted: false, rejection: { code: "validation-failed", detail: expect.anything() } };

  it("refuses a VAT id of another country, in either order of the fields", () => {
    const german = profileChanged({ country: "DE" });
    const austrian = profileChanged({ country: "AT", vatId: "ATU13585627" });
    expect(changing({ vat_id: "ATU13585627" }, german)).toMatchObject(refusal);
    expect(changing({ country: "DE" }, austrian)).toMatchObject(refusal);
    expect(changing({ country: "AT", vat_id: "ATU13585627" }, german)).toMatchObject({ accepted: true });
  });

  it.each([{ city: "Potsdam" }, { vat_id: "" }, { vat_id: "DE123456788" }])(
    "with a wrong VAT id from before the check accepts %j",
    (changes) => {
      const old = profileChanged({ country: "DE", vatId: "XX123" });
      expect(changing(changes, old)).toMatchObject({ accepted: true, events: [{ type: "ProfileChanged" }] });
    },
  );
});
