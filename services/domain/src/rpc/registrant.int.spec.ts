import type { AccountProfile } from "@hostledger/core";
import { accountExamples } from "@hostledger/core/testing";
import type { Registrant, Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { openDomainService, type DomainServiceFixture } from "../domain-service.fixture.ts";

const { vatId, postalCode, ...texts } = accountExamples.organisationProfile;
const ada: AccountProfile = {
  ...texts,
  kind: "organisation",
  postal_code: postalCode,
  vat_id: vatId,
  leitweg_id: "",
  version: 37,
  changedAt: null,
};
const shared = { ...texts, postalCode };
const registrant = { ...shared, phone: "+49.3012345678" };

let service: DomainServiceFixture;
let orders: { readonly name: string; readonly registrant?: Registrant }[];
let questions: string[];

/** Wraps a registrar whose registry requires registrant data, except for names that begin with "nobody". */
function curious(provider: Registrar): Registrar {
  return {
    ...plainRegistrar(provider),
    needsRegistrant: (name) => !name.startsWith("nobody"),
    check(name) {
      questions.push(name);
      return provider.check(name);
    },
    register(order) {
      orders.push(order);
      return provider.register(order);
    },
    transferIn(order) {
      orders.push(order);
      return provider.transferIn(order);
    },
  };
}

beforeAll(async () => {
  service = await openDomainService({ registrar: curious });
});
afterAll(() => service.close());
beforeEach(() => {
  [orders, questions] = [[], []];
  service.accounts.profileOf = () => ada;
});

const transfer = { domain: "elsewhere.com", authCode: "let-me-go" };

describe("an order whose registry wants to know who holds the name", () => {
  it("names the registrant, with an id that is the same for the same version of the profile", async () => {
    const { domains, accountId } = service.customer();
    await domains.registerDomain({ domain: "holder.com" });
    await domains.transferDomain(transfer);
    const id = `${accountId.toString(36)}-11`.toUpperCase();
    expect(orders).toMatchObject([
      { name: "holder.com", registrant: { id, ...registrant } },
      { name: "elsewhere.com", registrant: { id, ...registrant } },
    ]);
    expect(id).toMatch(/^[A-Z0-9-]{3,16}$/);
  });

  it("names only a person, also if an organisation was stored with the person", async () => {
    service.accounts.profileOf = () => ({ ...ada, kind: "person" });
    const { domains } = service.customer();
    await domains.registerDomain({ domain: "person.com" });
    await domains.transferDomain({ ...transfer, domain: "elsewhere-2.com" });
    const person = { kind: "person", name: ada.name, organisation: null };
    expect(orders).toMatchObject([{ registrant: person }, { registrant: person }]);
  });

  it("is refused while the profile is incomplete, naming the missing fields, before any call or charge", async () => {
    service.accounts.profileOf = () => ({ ...ada, street: "", email: "" });
    const { domains, accountId } = service.customer(100n);
    for (const call of [domains.registerDomain({ domain: "poor.com" }), domains.transferDomain(transfer)])
      expect(await refusalOf(call)).toMatchObject({
        code: "profile-incomplete",
        detail: { fieldErrors: { street: [expect.any(String)], email: [expect.any(String)] } },
      });
    expect([orders, questions, service.accounts.balanceOf(accountId)]).toEqual([[], [], 100n]);
    // Validation and offer are checked first.
    expect(await refusalOf(domains.registerDomain({ domain: "-" }))).toMatchObject({
      code: "validation-failed",
    });
    expect(await refusalOf(domains.registerDomain({ domain: "a.zz" }))).toMatchObject({
      code: "unsupported-extension",
    });
  });

  it("is refused while the profile cannot be read, with no placeholder for anybody's name", async () => {
    service.accounts.profileOf = () => ({ ...ada, name: "[not available]" });
    const { domains } = service.customer();
    expect(await refusalOf(domains.registerDomain({ domain: "keyless.com" }))).toMatchObject({
      code: "temporarily-unavailable",
    });
    expect(orders).toEqual([]);
  });

  it("is undone if the profile is removed between the check and the order", async () => {
    const answers = [ada, { ...ada, name: "" }];
    service.accounts.profileOf = () => answers.shift() ?? ada;
    const { domains, accountId } = service.customer();
    expect(await refusalOf(domains.registerDomain({ domain: "gone.com" }))).toMatchObject({
      code: "registrar-failed",
    });
    await service.settled();
    expect([orders, service.accounts.balanceOf(accountId)]).toEqual([[], 100_000n]);
    await domains.registerDomain({ domain: "gone.com" });
    expect(orders).toMatchObject([{ name: "gone.com", registrant }]);
  });

  it("is undone if the account cannot be read at the moment of the order", async () => {
    let calls = 0;
    service.accounts.profileOf = () => {
      calls += 1;
      if (calls === 2) throw new Error("the store does not answer");
      return ada;
    };
    const { domains, accountId } = service.customer();
    expect(await refusalOf(domains.registerDomain({ domain: "silent.com" }))).toMatchObject({
      code: "registrar-failed",
    });
    expect([orders, service.accounts.balanceOf(accountId)]).toEqual([[], 100_000n]);
  });

  it("reads no profile if the registry needs none", async () => {
    service.accounts.profileOf = () => {
      throw new Error("the profile was read");
    };
    const { domains } = service.customer();
    await domains.registerDomain({ domain: "nobody.com" });
    expect(orders).toEqual([expect.not.objectContaining({ registrant: expect.anything() })]);
  });
});
