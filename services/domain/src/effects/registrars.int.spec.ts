import { join } from "node:path";

import { openSandbox, unknown, type Registrar, type Sandbox } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { systemClock } from "@hostledger/runtime";
import { directoryOfSuite } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openDomainService, type DomainServiceFixture } from "../domain-service.fixture.ts";

/** The same party for all tests: they use names of their own. */
let service: DomainServiceFixture;
let other: Sandbox;
let atOther: Registrar;
let beforeAnswer: () => Promise<unknown> = () => Promise.resolve();
const directory = directoryOfSuite();

/** Another registrar, with names of its own. Of names with `quiet` it carries out the order, and does not say so. */
function otherRegistrar(): Registrar {
  return {
    ...plainRegistrar(other.registrar),
    name: "other",
    years: { least: 1, most: 2 },
    async register(order) {
      const answer = await other.registrar.register(order);
      await beforeAnswer();
      return order.name.startsWith("quiet") ? unknown("No answer came.") : answer;
    },
  };
}

beforeAll(async () => {
  const path = join(directory, "other.sqlite");
  other = openSandbox({ path, clock: systemClock(), latencyMs: 0, limboMs: 0 });
  atOther = otherRegistrar();
  service = await openDomainService({ otherRegistrars: [atOther] });
});
afterAll(async () => {
  await service.close();
  other.close();
});

const amounts = { registrationCents: 1_000n, renewalCents: 1_200n, transferCents: 900n, active: true };
const sellAt = (registrar: string | undefined, tld = "net") =>
  service.staff().setPrice({ tld, ...amounts, ...(registrar !== undefined && { registrar }) });
const heldAt = () => ({
  sandbox: service.sandbox.show().registrar.map(({ name }) => name),
  other: other.show().registrar.map(({ name }) => name),
});

async function buy(name: string) {
  const { domains, accountId } = service.customer();
  const { domain } = await domains.registerDomain({ domain: name });
  if (domain === undefined) throw new Error("nothing was bought");
  return { domains, domain, accountId };
}

describe("several registrars", () => {
  it("get the orders of the extensions that the price list sends them", async () => {
    await sellAt("other");
    expect((await buy("one.net")).domain.provider).toBe("other");
    expect((await buy("one.com")).domain.provider).toBe("sandbox");
    expect(heldAt()).toMatchObject({ sandbox: ["one.com"], other: ["one.net"] });
    expect((await service.staff().listAllPrices({})).prices).toMatchObject([
      { tld: "com" },
      { tld: "net", registrar: "other" },
    ]);
  });

  it("keep their names when the price list sends the extension elsewhere", async () => {
    await sellAt("other");
    const { domains, domain } = await buy("kept.net");
    const { id: domainId } = domain;
    await sellAt(undefined);
    await domains.updateNameservers({ domainId, nameservers: ["ns1.example.com", "ns2.example.com"] });
    await domains.updateSettings({ domainId, lockStatus: false });
    await domains.renewDomain({ domainId, years: 1 });
    expect((await domains.getAuthCode({ domainId })).authCode).not.toBe("");
    const [kept] = other.show().registrar.filter(({ name }) => name === "kept.net");
    expect(kept).toMatchObject({
      nameservers: ["ns1.example.com", "ns2.example.com"],
      transferLock: false,
    });
    const yearOf = (instant = "") => Number(instant.slice(0, 4));
    expect(yearOf(kept?.expiresAt) - yearOf(kept?.registeredAt)).toBe(2);
    expect((await buy("next.net")).domain.provider).toBe("sandbox");
    expect(heldAt().sandbox).not.toContain("kept.net");
    expect((await service.staff().reconcileDomains({})).differences).toEqual([]);
  });

  it("are asked about their own orders, despite later changes of the price list", async () => {
    await sellAt("other");
    beforeAnswer = () => sellAt(undefined);
    expect((await buy("quiet.net")).domain.provider).toBe("other");
    beforeAnswer = () => Promise.resolve();
    expect(heldAt().other.filter((name) => name === "quiet.net")).toHaveLength(1);
  });

  it("refuse years that their registry does not accept, before anything is charged", async () => {
    await sellAt("other");
    const { domains, accountId } = service.customer();
    const wrong = {
      code: "validation-failed",
      detail: { fieldErrors: { years: ["The field years must be 1 to 2 for this extension."] } },
    };
    const before = service.accounts.balanceOf(accountId);
    expect(await refusalOf(domains.registerDomain({ domain: "long.net", years: 3 }))).toMatchObject(wrong);
    expect(service.accounts.balanceOf(accountId)).toBe(before);
    const { domain } = await domains.registerDomain({ domain: "long.net", years: 2 });
    const paid = service.accounts.balanceOf(accountId);
    const renewal = domains.renewDomain({ domainId: domain?.id ?? 0n, years: 3 });
    expect(await refusalOf(renewal)).toMatchObject(wrong);
    expect(service.accounts.balanceOf(accountId)).toBe(paid);
    expect((await domains.registerDomain({ domain: "long.com", years: 3 })).years).toBe(3);
  });

  it("are those of the configuration: another registrar is refused in a price line", async () => {
    const refusal = await refusalOf(sellAt("nobody"));
    expect(refusal).toMatchObject({
      code: "validation-failed",
      detail: { fieldErrors: { registrar: ["must be one of those that are configured: sandbox, other"] } },
    });
  });

  it("get no calls once they are not configured, and no other registrar is called instead", async () => {
    await sellAt("other");
    const { domain, accountId } = await buy("left.net");
    service = await service.restart();
    const { domains: others } = service.customer();
    expect(await refusalOf(others.registerDomain({ domain: "new.net" }))).toMatchObject({
      code: "registrar-failed",
    });
    const again = service.domains({ kind: "account", accountId, keyId: 1 });
    expect(await refusalOf(again.getAuthCode({ domainId: domain.id }))).toMatchObject({
      code: "registrar-unavailable",
    });
    const { differences, unanswered } = await service.staff().reconcileDomains({});
    expect(differences).toEqual([]);
    expect(unanswered.join()).toContain("The registrar other");
    service = await service.restart({ otherRegistrars: [atOther] });
    expect((await service.staff().reconcileDomains({})).differences).toEqual([]);
  });
});
