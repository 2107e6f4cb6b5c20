import { signersText } from "@hostledger/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Registrar, RegistrationOrder, RenewalOrder } from "../registrar/registrar.port.ts";
import { describeSettings } from "./registrar-settings.contract.ts";
import { describeTransfers, type TransfersUnderTest } from "./transfers.contract.ts";

export interface RegistrarUnderTest extends TransfersUnderTest {
  close(): Promise<void> | void;
}

const nameservers = ["ns1.hostledger.example", "ns2.hostledger.example"];
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;

/** Tests the behaviour required of every registrar adapter, simulated or real. */
export function describeRegistrarContract(
  name: string,
  make: () => Promise<RegistrarUnderTest> | RegistrarUnderTest,
): void {
  describe(`registrar contract: ${name}`, () => {
    let underTest: RegistrarUnderTest;
    let order: RegistrationOrder;
    const registrar = (): Registrar => underTest.registrar;
    beforeEach(async () => {
      underTest = await make();
      const fresh = underTest.freshName();
      order = { clientTransactionId: `contract-${fresh}`, name: fresh, years: 2, nameservers };
    });
    afterEach(async () => {
      await underTest.close();
    });

    describeOrders(
      registrar,
      () => order,
      () => underTest.freshName(),
    );
    describeOrdersAtOnce(registrar, () => order);
    describeRenewals(registrar, () => order);
    describeHoldings(registrar, () => order);
    describeSettings(registrar, () => order);
    describeTransfers(() => underTest);
  });
}

function describeOrders(
  registrar: () => Registrar,
  order: () => RegistrationOrder,
  freshName: () => string,
): void {
  it("has a name for customers", () => {
    expect(registrar().name).toMatch(/\S/);
  });

  it("reports that a free name is available, until it is registered", async () => {
    expect(await registrar().check(order().name)).toEqual({ outcome: "done", value: { available: true } });
    await registrar().register(order());
    expect(await registrar().check(order().name)).toEqual({ outcome: "done", value: { available: false } });
  });

  it("registers for whole calendar years, with WHOIS privacy and transfer lock", async () => {
    const answer = await registrar().register(order());
    expect(answer).toMatchObject({
      outcome: "done",
      value: {
        name: order().name,
        clientTransactionId: order().clientTransactionId,
        nameservers,
        whoisPrivacy: true,
        transferLock: true,
      },
    });
    if (answer.outcome !== "done") return;
    const { registeredAt, expiresAt } = answer.value;
    expect([registeredAt, expiresAt].filter((time) => !instant.test(time))).toEqual([]);
    expect(Number(expiresAt.slice(0, 4)) - Number(registeredAt.slice(0, 4))).toBe(2);
  });

  it("answers the same domain when an order is repeated", async () => {
    const first = await registrar().register(order());
    expect(await registrar().register(order())).toEqual(first);
    expect(await registrar().inquire(order().name)).toMatchObject({ value: { held: true } });
  });

  it("refuses another order for a name that is held", async () => {
    await registrar().register(order());
    const other = { ...order(), clientTransactionId: `${order().clientTransactionId}-other` };
    expect(await registrar().register(other)).toMatchObject({ outcome: "refused", reason: "rejected" });
  });

  it("never creates a second domain for one client transaction id", async () => {
    await registrar().register(order());
    const second = { ...order(), name: freshName() };
    expect(await registrar().register(second)).toMatchObject({ outcome: "refused", reason: "rejected" });
    expect(await registrar().inquire(second.name)).toEqual({ outcome: "done", value: { held: false } });
  });
}

function describeOrdersAtOnce(registrar: () => Registrar, order: () => RegistrationOrder): void {
  it("creates one domain for simultaneous copies of an order", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => registrar().register(order())));
    expect(answers).toMatchObject(Array(8).fill({ outcome: "done", value: { name: order().name } }));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toHaveLength(1);
  });

  it("gives a name to exactly one of several simultaneous orders", async () => {
    const orders = Array.from({ length: 8 }, (_, index) => ({
      ...order(),
      clientTransactionId: `${order().clientTransactionId}-${String(index)}`,
    }));
    const answers = await Promise.all(orders.map((each) => registrar().register(each)));
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual([
      "done",
      ...Array<string>(7).fill("refused"),
    ]);
  });
}

function describeRenewals(registrar: () => Registrar, order: () => RegistrationOrder): void {
  const years = 3;
  const ordered = async (): Promise<RenewalOrder> => {
    const answer = await registrar().register(order());
    if (answer.outcome !== "done") throw new Error(answer.outcome);
    const { name, expiresAt: currentExpiresAt } = answer.value;
    return { clientTransactionId: `renewal-${name}`, name, currentExpiresAt, years };
  };
  const expiry = async (): Promise<string | undefined> => {
    const answer = await registrar().inquire(order().name);
    return answer.outcome === "done" && answer.value.held ? answer.value.domain.expiresAt : undefined;
  };

  it("renews from the expiry date that is named, by whole calendar years", async () => {
    const renewal = await ordered();
    const answer = await registrar().renew(renewal);
    expect(answer).toMatchObject({ outcome: "done", value: { name: renewal.name, transferLock: true } });
    if (answer.outcome !== "done") return;
    const { expiresAt } = answer.value;
    expect(instant.test(expiresAt)).toBe(true);
    expect(Number(expiresAt.slice(0, 4)) - Number(renewal.currentExpiresAt.slice(0, 4))).toBe(years);
    expect(await expiry()).toBe(expiresAt);
  });

  it("renews once when an order is repeated, in a row or at once", async () => {
    const renewal = await ordered();
    await Promise.all(Array.from({ length: 8 }, () => registrar().renew(renewal)));
    const once = await expiry();
    await registrar().renew(renewal);
    expect(await expiry()).toBe(once);
    expect(Number(once?.slice(0, 4)) - Number(renewal.currentExpiresAt.slice(0, 4))).toBe(years);
  });

  it("refuses to renew from another expiry date, and a name it does not hold", async () => {
    const renewal = await ordered();
    const other = { ...renewal, currentExpiresAt: "2001-01-01T00:00:00.000000Z" };
    expect(await registrar().renew(other)).toMatchObject({ outcome: "refused", reason: "rejected" });
    expect(await expiry()).toBe(renewal.currentExpiresAt);
    await registrar().cancel(renewal.name);
    expect(await registrar().renew(renewal)).toMatchObject({ outcome: "refused", reason: "rejected" });
  });
}

function describeHoldings(registrar: () => Registrar, order: () => RegistrationOrder): void {
  it("answers which names it holds, and which not", async () => {
    expect(await registrar().inquire(order().name)).toEqual({ outcome: "done", value: { held: false } });
    const registered = await registrar().register(order());
    expect(await registrar().inquire(order().name)).toEqual({
      outcome: "done",
      value: { held: true, domain: registered.outcome === "done" ? registered.value : undefined },
    });
  });

  it("delegates to other nameservers, and again without harm", async () => {
    await registrar().register(order());
    const others = ["ns1.customer.example", "ns2.customer.example", "ns3.customer.example"];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await registrar().updateNameservers(order().name, others)).toMatchObject({
        outcome: "done",
        value: { name: order().name, nameservers: others, transferLock: true },
      });
    }
    expect(await registrar().inquire(order().name)).toMatchObject({
      value: { domain: { nameservers: others } },
    });
  });

  it("delegates with signers, leaves them if none are named, and removes them", async () => {
    await registrar().register(order());
    const others = ["ns1.customer.example", "ns2.customer.example"];
    const signers = [
      { keyTag: 12_345, algorithm: 13, digestType: 2, digest: "AB".repeat(32) },
      { keyTag: 6, algorithm: 8, digestType: 2, digest: "CD".repeat(32) },
    ];
    const held = async () => {
      const answer = await registrar().inquire(order().name);
      if (answer.outcome !== "done" || !answer.value.held) throw new Error("the name is not held");
      return signersText(answer.value.domain.signers ?? []);
    };
    expect(await held()).toBe("none");
    await registrar().updateNameservers(order().name, nameservers, signers);
    expect(await held()).toBe(signersText(signers));
    await registrar().updateNameservers(order().name, others);
    expect(await held()).toBe(signersText(signers));
    await registrar().updateNameservers(order().name, others, signers.slice(1));
    expect(await held()).toBe(signersText(signers.slice(1)));
    await registrar().updateNameservers(order().name, nameservers, []);
    expect(await held()).toBe("none");
  });

  it("delegates to nameservers below the name itself, with their addresses", async () => {
    const { name } = order();
    await registrar().register(order());
    const hosts = [`ns1.${name}`, `ns2.${name}`] as const;
    const glue = { [hosts[0]]: ["192.0.2.1", "2001:db8::1"], [hosts[1]]: ["192.0.2.2"] };
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await registrar().updateNameservers(name, hosts, [], glue)).toMatchObject({
        outcome: "done",
        value: { nameservers: hosts },
      });
    expect(await registrar().inquire(name)).toMatchObject({ value: { domain: { nameservers: hosts } } });
  });

  it("refuses nameservers for a name it does not hold", async () => {
    const answer = await registrar().updateNameservers(order().name, nameservers);
    expect(answer).toMatchObject({ outcome: "refused", reason: "rejected" });
  });

  it("cancels, and again without harm", async () => {
    await registrar().register(order());
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await registrar().cancel(order().name)).toEqual({ outcome: "done", value: undefined });
    }
    expect(await registrar().inquire(order().name)).toEqual({ outcome: "done", value: { held: false } });
    expect(await registrar().check(order().name)).toEqual({ outcome: "done", value: { available: true } });
  });

  it("sells a cancelled name again", async () => {
    await registrar().register(order());
    await registrar().cancel(order().name);
    const next = { ...order(), clientTransactionId: `${order().clientTransactionId}-next`, years: 1 };
    expect(await registrar().register(next)).toMatchObject({
      outcome: "done",
      value: { clientTransactionId: next.clientTransactionId },
    });
  });
}
