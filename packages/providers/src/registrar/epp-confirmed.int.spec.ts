import { afterAll, describe, expect, it } from "vitest";

import type { Asked, Command } from "../epp/index.ts";
import { ServedRegistry } from "../epp/server/serve-sandbox.fixture.ts";
import { CountingClient, eppRegistry, registrant } from "./epp-replicas.fixture.ts";

/** Tests that a confirmed order stands even if the domain cannot be read afterwards (RFC 5731 §3.2). */

const { served, replica, orderFor } = await eppRegistry();

/** A client whose reads of domains fail from a given moment. */
class BlindClient extends CountingClient {
  isBlind = false;

  override ask(command: Command, clientTransactionId?: string): Promise<Asked> {
    if (this.isBlind && command.content.name === "info")
      return Promise.resolve({ kind: "unanswered", message: "No answer." });
    return super.ask(command, clientTransactionId);
  }
}

function blind() {
  const { client, registrar } = replica("secret", BlindClient);
  return {
    registrar,
    shut: (isBlind: boolean) => {
      if (client instanceof BlindClient) client.isBlind = isBlind;
    },
  };
}

describe("a name that the registry has created (1000)", () => {
  it("is registered although the registry does not return it for two seconds (2400)", async () => {
    const { registrar, client } = replica();
    const order = { ...orderFor("unread"), years: 2 };
    const { clientTransactionId, name, nameservers } = order;
    const registeredAt = new Date(served.fixture.clock.epochMs).toISOString().slice(0, 19);
    expect(await registrar.register(order)).toMatchObject({
      outcome: "done",
      value: {
        name,
        clientTransactionId,
        nameservers,
        registeredAt: expect.stringContaining(registeredAt) as string,
        whoisPrivacy: true,
        transferLock: true,
      },
    });
    expect(client.sent).not.toContain("info domain");
    // This process knows the lost answer; another process cannot.
    expect(await registrar.inquire(name, clientTransactionId)).toMatchObject({
      value: { held: true, domain: { clientTransactionId } },
    });
    expect(await replica().registrar.inquire(name, clientTransactionId)).toMatchObject({
      outcome: "unknown",
    });
    served.fixture.clock.epochMs += 2_000;
    expect(await replica().registrar.inquire(name, clientTransactionId)).toMatchObject({
      value: { held: true, domain: { clientTransactionId, transferLock: true } },
    });
  });

  it("expires after the ordered years if the registry reports no date", async () => {
    const { registrar } = replica();
    const order = { ...orderFor("noexdate"), years: 2 };
    const registered = await registrar.register(order);
    const now = new Date(served.fixture.clock.epochMs);
    const year = (years: number) => String(now.getUTCFullYear() + years);
    expect(registered).toMatchObject({ outcome: "done", value: { isExpiryComputed: true } });
    const expiresAt = registered.outcome === "done" ? registered.value.expiresAt : "";
    expect(expiresAt.slice(0, 4)).toBe(year(2));
    const held = await replica().registrar.inquire(order.name, order.clientTransactionId);
    expect(held).toMatchObject({ value: { held: true, domain: { isExpiryComputed: true } } });
    const renewal = {
      clientTransactionId: "renewal-1",
      name: order.name,
      currentExpiresAt: expiresAt,
      years: 1,
    };
    expect(await registrar.renew(renewal)).toMatchObject({
      outcome: "done",
      value: { expiresAt: expect.stringContaining(year(3)) as string, isExpiryComputed: true },
    });
  });
});

describe("a change that the registry has confirmed", () => {
  it("stands although the name cannot be read afterwards", async () => {
    const order = orderFor("name");
    await replica().registrar.register(order);
    /** A client that answers the read before the change and none after. */
    class OnceClient extends BlindClient {
      override async ask(command: Command, clientTransactionId?: string): Promise<Asked> {
        const asked = await super.ask(command, clientTransactionId);
        if (command.content.name === "update") this.isBlind = true;
        return asked;
      }
    }
    const once = () => replica("secret", OnceClient).registrar;
    const nameservers = ["ns3.hostledger.example", "ns4.hostledger.example"];
    expect(await once().updateNameservers(order.name, nameservers)).toMatchObject({
      outcome: "done",
      value: { nameservers },
    });
    const open = { whoisPrivacy: false, transferLock: false };
    expect(await once().updateSettings(order.name, open)).toMatchObject({ outcome: "done", value: open });
    expect(await replica().registrar.inquire(order.name)).toMatchObject({
      value: { domain: { nameservers, ...open } },
    });
  });

  it("is a restoration, whose renewal uses the expiry date from before it", async () => {
    const order = orderFor("name");
    const { registrar, shut } = blind();
    const registered = await registrar.register(order);
    if (registered.outcome !== "done") throw new Error(registered.message);
    served.fixture.clock.epochMs += 6 * 86_400_000;
    expect(await registrar.cancel(order.name)).toMatchObject({ outcome: "done" });
    class RestoringClient extends CountingClient {
      #isRestored = false;
      override async ask(command: Command, clientTransactionId?: string): Promise<Asked> {
        if (this.#isRestored && command.content.name === "info")
          return refusal(command, (asked) => super.ask(asked));
        const asked = await super.ask(command, clientTransactionId);
        if (command.extensions?.[0]?.children[0]?.name === "restore") this.#isRestored = true;
        return asked;
      }
    }
    shut(true);
    const { expiresAt: currentExpiresAt } = registered.value;
    const renewal = { clientTransactionId: "restore-1", name: order.name, currentExpiresAt, years: 1 };
    expect(await replica("secret", RestoringClient).registrar.restore(renewal)).toMatchObject({
      outcome: "done",
      value: { name: order.name },
    });
    expect(await replica().registrar.inquire(order.name)).toMatchObject({ value: { held: true } });
  });
});

/** Replaces a command's answer by that of a busy registry. */
async function refusal(command: Command, ask: (command: Command) => Promise<Asked>): Promise<Asked> {
  const asked = await ask(command);
  if (asked.kind !== "answered") throw new Error("the registry gives no answer");
  return { ...asked, response: { ...asked.response, code: 2400, data: undefined } };
}

describe("a registrar whose identifier is not the user that logs in", () => {
  const clientIds = new Map([["sandbox", "SANDBOX-ID"]]);
  const other = ServedRegistry.start({ clientIds });
  afterAll(async () => (await other).close());

  it("holds the names of its identifier", async () => {
    const { server } = await other;
    const at = (clientId: string) =>
      replica("secret", CountingClient, "sandbox", undefined, { clientId, server }).registrar;
    const [order, later] = [orderFor("name"), orderFor("name")];
    for (const each of [order, later])
      expect(await at("SANDBOX-ID").register({ ...each, registrant })).toMatchObject({ outcome: "done" });
    expect(await at("SANDBOX-ID").inquire(order.name)).toMatchObject({ value: { held: true } });
    // The registrar cannot say who owns the domain: the order stands, and `inquire` answers "not held by us".
    const third = orderFor("name");
    expect(await at("sandbox").register(third)).toMatchObject({ outcome: "done" });
    expect(await at("sandbox").inquire(third.name)).toMatchObject({ value: { held: false } });
  });
});
