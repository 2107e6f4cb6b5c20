import { describe, expect, it } from "vitest";

import { namespaces, type Asked, type Command } from "../epp/index.ts";
import { element } from "../epp/xml.ts";
import { domainXml, pw } from "../epp/server/serve-sandbox.fixture.ts";
import type { Outcome } from "../outcome.ts";
import type { EppRegistrar } from "./epp-registrar.adapter.ts";
import { instantOf } from "./epp-domains.ts";
import { CountingClient, eppRegistry, nameservers } from "./epp-replicas.fixture.ts";
import type { RegistrarDomain, RegistryMessage } from "./registrar.port.ts";

/** A client of a registry that renews domains at expiry (RFC 3915 §3.1). */
class RenewingClient extends CountingClient {
  override async ask(command: Command, clientTransactionId?: string): Promise<Asked> {
    const asked = await super.ask(command, clientTransactionId);
    if (asked.kind !== "answered" || asked.response.data?.name !== "infData") return asked;
    const status = element(namespaces.rgp, "rgpStatus", [], { s: "autoRenewPeriod" });
    const extensions = [element(namespaces.rgp, "infData", [status])];
    return { ...asked, response: { ...asked.response, extensions } };
  }
}

/** A client of a registry that prohibits renewal during a dispute (RFC 5731 §2.3). */
class ForbiddingClient extends CountingClient {
  override async ask(command: Command, clientTransactionId?: string): Promise<Asked> {
    const asked = await super.ask(command, clientTransactionId);
    if (asked.kind !== "answered" || asked.response.data?.name !== "infData") return asked;
    const { data } = asked.response;
    const status = element(namespaces.domain, "status", [], { s: "serverRenewProhibited" });
    return {
      ...asked,
      response: { ...asked.response, data: { ...data, children: [...data.children, status] } },
    };
  }
}

/** Client that loses the first restore report, so the registry still awaits a report. */
class ReportlessClient extends CountingClient {
  #isWaiting = false;
  #isLost = false;

  override async ask(command: Command, clientTransactionId?: string): Promise<Asked> {
    const restore = command.extensions?.[0]?.children[0];
    if (restore?.attributes.op === "report" && !this.#isLost) {
      this.#isLost = true;
      this.#isWaiting = true;
      return { kind: "unanswered", message: "The connection is closed." };
    }
    const asked = await super.ask(command, clientTransactionId);
    if (restore?.attributes.op === "report") this.#isWaiting = false;
    if (!this.#isWaiting || asked.kind !== "answered" || asked.response.data?.name !== "infData")
      return asked;
    const status = element(namespaces.rgp, "rgpStatus", [], { s: "pendingRestore" });
    const extensions = [element(namespaces.rgp, "infData", [status])];
    return { ...asked, response: { ...asked.response, extensions } };
  }
}

const { served, replica, orderFor } = await eppRegistry();

describe("an order by EPP", () => {
  it.each([
    ["cutbefore", { outcome: "unknown" }, { held: false }],
    ["cutafter", { outcome: "unknown" }, { held: true }],
    ["halfframe", { outcome: "unknown" }, { held: true }],
    ["code2306", { outcome: "refused", reason: "rejected" }, { held: false }],
    ["code2400", { outcome: "refused", reason: "unreachable" }, { held: false }],
    ["code2500", { outcome: "unknown" }, { held: false }],
    ["code2502", { outcome: "refused", reason: "unreachable" }, { held: false }],
  ])(
    "for a name with %s is %o, and the registry shows it to another process",
    async (label, outcome, holding) => {
      const order = orderFor(label);
      const answer = await replica().registrar.register(order);
      expect(answer).toMatchObject(outcome);
      if (label.startsWith("code")) expect(JSON.stringify(answer)).toContain(label.slice(4));
      expect(await replica().registrar.inquire(order.name)).toMatchObject({
        outcome: "done",
        value: holding,
      });
    },
  );

  it("that was carried out unheard is known by its id after a restart", async () => {
    const order = orderFor("cutafter");
    await replica().registrar.register(order);
    const { clientTransactionId } = order;
    expect(await replica().registrar.inquire(order.name)).toMatchObject({
      value: { held: true, domain: { clientTransactionId, nameservers, whoisPrivacy: true } },
    });
    const other = await replica("another secret").registrar.inquire(order.name);
    expect(JSON.stringify(other)).not.toContain(clientTransactionId);
    expect(
      await replica().registrar.register({ ...order, clientTransactionId: "order-other" }),
    ).toMatchObject({
      outcome: "refused",
      reason: "rejected",
    });
  });

  it("that the registry decides on later (1001) is inquired until it has", async () => {
    const { registrar } = replica();
    const order = orderFor("code1001");
    expect(await registrar.register(order)).toMatchObject({ outcome: "unknown" });
    expect(await registrar.inquire(order.name)).toMatchObject({ outcome: "unknown" });
    served.fixture.clock.epochMs += 2_000;
    expect(await registrar.inquire(order.name)).toMatchObject({
      value: { held: true, domain: { clientTransactionId: order.clientTransactionId } },
    });
  });

  it("is not sent if an earlier command fails, so certainly nothing was ordered", async () => {
    const { registrar, client } = replica();
    await client.close();
    expect(await registrar.register(orderFor("name"))).toMatchObject({
      outcome: "refused",
      reason: "unreachable",
    });
  });
});

describe("the fee of an order", () => {
  it("is returned by the same question if the registry has one", async () => {
    const { registrar, client } = replica();
    const name = orderFor("name").name;
    const asked = (kind: "create" | "transfer", years: number, of = name) =>
      registrar.check(of, { kind, years });
    expect(await asked("create", 2)).toMatchObject({
      value: { available: true, fee: { cents: 1_700n, currency: "EUR", isPremium: false } },
    });
    expect(client.sent).toEqual(["check domain"]);
    expect(await asked("transfer", 1)).toMatchObject({ value: { fee: { cents: 850n, isPremium: false } } });
    expect(await asked("create", 1, orderFor("premium").name)).toMatchObject({
      value: { available: true, fee: { cents: 85_000n, isPremium: true } },
    });
    expect(await registrar.check(name)).toEqual({ outcome: "done", value: { available: true } });
  });

  it("is not requested from a registry without fees", async () => {
    const { registrar, client } = replica();
    const { greeting } = client;
    client.greeting = async () => ({ ...(await greeting.call(client)), extensions: [] });
    const check = await registrar.check(orderFor("premium").name, { kind: "create", years: 1 });
    expect(check).toEqual({ outcome: "done", value: { available: true } });
  });

  it("of a premium name is not sent: the registry refuses the order", async () => {
    const order = orderFor("premium");
    const answer = await replica().registrar.register(order);
    expect(answer).toMatchObject({ outcome: "refused", reason: "rejected" });
    expect(JSON.stringify(answer)).toContain("2003");
    expect(await replica().registrar.inquire(order.name)).toMatchObject({ value: { held: false } });
  });
});

describe("contacts and hosts", () => {
  it("are made once for each version of a profile, and used again", async () => {
    const { registrar, client } = replica();
    await registrar.register(orderFor("name"));
    await registrar.register(orderFor("name"));
    const made = client.sent.filter((sent) => sent.startsWith("create") && sent !== "create domain");
    expect(made.sort()).toEqual(["create contact", "create host", "create host"]);
    await replica().registrar.register(orderFor("name"));
    expect(served.failures).toEqual([]);
  });

  it("hide the registrant, and show it on demand, for each domain separately", async () => {
    const { registrar } = replica();
    const [one, other] = [orderFor("name"), orderFor("name")];
    await registrar.register(one);
    await registrar.register(other);
    await registrar.updateSettings(one.name, { whoisPrivacy: false });
    expect(await replica().registrar.inquire(one.name)).toMatchObject({
      value: { domain: { whoisPrivacy: false } },
    });
    expect(await replica().registrar.inquire(other.name)).toMatchObject({
      value: { domain: { whoisPrivacy: true } },
    });
  });

  it("are absent for a name without an owner, and not disclosed", async () => {
    const { registrar } = replica();
    const { registrant: _, ...order } = orderFor("name");
    expect(await registrar.register(order)).toMatchObject({ outcome: "done", value: { whoisPrivacy: true } });
    expect(await registrar.updateSettings(order.name, { whoisPrivacy: false })).toMatchObject({
      outcome: "refused",
      message: expect.stringContaining("no registrant") as unknown,
    });
  });
});

describe("what the registry says unasked", () => {
  /** Returns all messages of the queue, including those of earlier tests. */
  async function queue(registrar: EppRegistrar): Promise<readonly RegistryMessage[]> {
    const all: RegistryMessage[] = [];
    for (;;) {
      const answer = await registrar.messages();
      const [message] = answer.outcome === "done" ? answer.value : [];
      if (message === undefined) return all;
      all.push(message);
      expect(await registrar.messages()).toMatchObject({ value: [{ id: message.id }] });
      expect(await registrar.acknowledge(message)).toMatchObject({ outcome: "done" });
      expect(await registrar.acknowledge(message)).toMatchObject({ outcome: "done" });
    }
  }

  it("is read message by message, each until it is acknowledged", async () => {
    const { registrar } = replica();
    await queue(registrar);
    const [leaving, staying, renewed, pending] = ["leaves", "stays", "renewed", "code1001"].map(orderFor);
    for (const order of [leaving, staying, renewed, pending]) if (order) await registrar.register(order);
    const theirs = await served.login("sandbox2");
    for (const name of [leaving?.name ?? "", staying?.name ?? ""]) {
      await registrar.updateSettings(name, { transferLock: false });
      const code = await registrar.authCode(name);
      const authInfo = code.outcome === "done" ? code.value.authCode : "";
      const asked = await theirs.command(domainXml("transfer", name, pw(authInfo), "request"));
      expect(asked.code).toBe("1001");
    }
    await theirs.command(domainXml("transfer", staying?.name ?? "", "", "cancel"));
    theirs.close();
    const { registry } = served.fixture.opened;
    registry.notify("sandbox", "", served.fixture.clock.epochMs, {
      text: "Renewed.",
      changed: renewed?.name ?? "",
    });
    registry.notify("sandbox", "", served.fixture.clock.epochMs, { text: "Your credit is low." });
    served.fixture.clock.epochMs += 5 * 86_400_000;
    const said = (await queue(registrar)).map(({ about, name }) => [about, name]);
    expect(said.toSorted()).toEqual(
      [
        ["name", renewed?.name],
        ["order", pending?.name],
        ["other", undefined],
        ["transfer-kept", staying?.name],
        ["transfer-requested", leaving?.name],
        ["transfer-requested", staying?.name],
        ["transferred-away", leaving?.name],
      ].toSorted(),
    );
    expect(await registrar.inquire(leaving?.name ?? "")).toMatchObject({ value: { held: false } });
  });
});

it.each([
  ["2026-11-22T10:00:00Z", "2026-11-22T10:00:00.000000Z"],
  ["2026-11-22T10:00:00.12Z", "2026-11-22T10:00:00.120000Z"],
  ["2026-11-22T10:00:00.1234567Z", "2026-11-22T10:00:00.123456Z"],
  ["2026-11-22T10:00:00.5+02:00", "2026-11-22T08:00:00.500000Z"],
])("reads a registry's time %s", (written, instant) => {
  expect(instantOf(written)).toBe(instant);
});

describe("a name that was given up some days after it was registered", () => {
  const day = 86_400_000;

  function expiryOf(registered: Outcome<RegistrarDomain>): string {
    if (registered.outcome !== "done") throw new Error("the name was not registered");
    return registered.value.expiresAt;
  }

  it("is not held, is restored with a year and a report, and a repeat changes nothing", async () => {
    const { client, registrar } = replica();
    const order = orderFor("restored");
    const { name } = order;
    const expiresAt = expiryOf(await registrar.register(order));
    served.fixture.clock.epochMs += 6 * day;
    expect(await registrar.cancel(name)).toMatchObject({ outcome: "done" });
    expect(await registrar.inquire(name)).toMatchObject({ value: { held: false } });
    expect(await registrar.check(name)).toMatchObject({ value: { available: false } });
    const asked = await registrar.renew({ ...order, currentExpiresAt: "2027-01-01T00:00:00.000000Z" });
    expect(asked).toMatchObject({ outcome: "refused", reason: "rejected" });

    const restoration = { ...order, currentExpiresAt: expiresAt, clientTransactionId: `back-${name}` };
    client.sent.length = 0;
    const restored = await registrar.restore(restoration);
    const year = Number(expiresAt.slice(0, 4)) + 1;
    expect(restored).toMatchObject({ value: { name, expiresAt: expect.stringContaining(String(year)) } });
    // The second update is the report.
    expect(client.sent.filter((command) => command === "update domain")).toHaveLength(2);
    expect(await registrar.restore(restoration)).toMatchObject({ outcome: "refused", reason: "rejected" });
    expect(await registrar.inquire(name)).toMatchObject({
      value: { held: true, domain: { expiresAt: expect.stringContaining(String(year)) } },
    });
  });

  it("gets its report again, if the registry still waits for one (RFC 3915 §3.1)", async () => {
    const { registrar, client } = replica("secret", ReportlessClient);
    const order = orderFor("reported");
    const currentExpiresAt = expiryOf(await registrar.register(order));
    served.fixture.clock.epochMs += 6 * day;
    await registrar.cancel(order.name);
    const restoration = { ...order, currentExpiresAt };
    expect(await registrar.restore(restoration)).toMatchObject({ outcome: "unknown" });
    client.sent.length = 0;
    expect(await registrar.restore(restoration)).toMatchObject({ outcome: "done" });
    // Only the report is sent again.
    expect(client.sent.filter((command) => command === "update domain")).toHaveLength(1);
  });

  it("is recognised as renewed by its registry, if that reports it", async () => {
    const order = orderFor("renewed");
    await replica().registrar.register(order);
    const renewed = await replica("secret", RenewingClient).registrar.inquire(order.name);
    expect(renewed).toMatchObject({ value: { held: true, domain: { isRenewedUnasked: true } } });
    const plain = await replica().registrar.inquire(order.name);
    expect(plain).not.toHaveProperty("value.domain.isRenewedUnasked");
  });

  it("is recognised as no longer renewed, if its registry reports it", async () => {
    const order = orderFor("disputed");
    await replica().registrar.register(order);
    const disputed = await replica("secret", ForbiddingClient).registrar.inquire(order.name);
    expect(disputed).toMatchObject({ value: { held: true, domain: { isRenewalForbidden: true } } });
    const plain = await replica().registrar.inquire(order.name);
    expect(plain).not.toHaveProperty("value.domain.isRenewalForbidden");
  });

  it("is gone after its registry's days, and cannot be restored", async () => {
    const { registrar } = replica();
    const order = orderFor("gone");
    const currentExpiresAt = expiryOf(await registrar.register(order));
    served.fixture.clock.epochMs += 6 * day;
    await registrar.cancel(order.name);
    served.fixture.clock.epochMs += 31 * day;
    const restoration = { ...order, currentExpiresAt };
    expect(await registrar.restore(restoration)).toMatchObject({ outcome: "refused", reason: "rejected" });
    served.fixture.clock.epochMs += 5 * day;
    expect(await registrar.restore(restoration)).toMatchObject({ outcome: "refused", reason: "rejected" });
    expect(await registrar.register({ ...order, clientTransactionId: "order-anew" })).toMatchObject({
      outcome: "done",
    });
  });
});
