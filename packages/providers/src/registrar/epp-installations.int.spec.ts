import type { NamedInstallation } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import type { Asked, Command } from "../epp/index.ts";
import { xmlns } from "../epp/server/serve-sandbox.fixture.ts";
import { CountingClient, eppRegistry, ours, registrant } from "./epp-replicas.fixture.ts";
import type { Registrant } from "./registrar.port.ts";

/** Tests several installations at one registry, whose domains must stay separate. */

const { served, replica, orderFor } = await eppRegistry();

const fresh = (part: string): NamedInstallation => ({ part, knowsPlainIds: false, isCopy: false });
const at = (installation: NamedInstallation, user = "sandbox") =>
  replica("secret", CountingClient, user, undefined, { installation });

/** Account 1 of another installation. */
const other: Registrant = { ...registrant, name: "Bob", email: "bob@example.net", phone: "+49.301" };

async function contactOf(
  name: string,
  user = "sandbox",
): Promise<{ readonly id: string; readonly name: string }> {
  const session = await served.login(user);
  const info = await session.command(
    `<info><domain:info ${xmlns.domain}><domain:name>${name}</domain:name></domain:info></info>`,
  );
  const id = info.text("registrant");
  const contact = await session.command(
    `<info><contact:info ${xmlns.contact}><contact:id>${id}</contact:id></contact:info></info>`,
  );
  session.close();
  return { id, name: contact.all("name").find(({ namespace }) => namespace.includes("contact"))?.text ?? "" };
}

async function createContactAs(user: string, id: string, name: string): Promise<void> {
  const session = await served.login(user);
  const made = await session.command(
    `<create><contact:create ${xmlns.contact}><contact:id>${id}</contact:id><contact:postalInfo type="loc">` +
      `<contact:name>${name}</contact:name><contact:addr><contact:street>1 Road</contact:street>` +
      `<contact:city>Ulm</contact:city><contact:cc>DE</contact:cc></contact:addr></contact:postalInfo>` +
      `<contact:email>x@example.org</contact:email><contact:authInfo><contact:pw>secret-123</contact:pw>` +
      `</contact:authInfo></contact:create></create>`,
  );
  expect(made.code).toBe("1000");
  session.close();
}

describe("two installations at one registry", () => {
  it.each([
    ["with a login each", "sandbox2"],
    ["with one login, as after a fresh start", "sandbox"],
  ])("%s register their names to their own customers", async (_, user) => {
    const [first, second] = [orderFor("first"), orderFor("second")];
    const id = `1-${String(user.length)}`;
    expect(
      await at(fresh("aaaaaa")).registrar.register({ ...first, registrant: { ...registrant, id } }),
    ).toMatchObject({ outcome: "done" });
    expect(
      await at(fresh("bbbbbb"), user).registrar.register({ ...second, registrant: { ...other, id } }),
    ).toMatchObject({ outcome: "done" });
    expect(await contactOf(first.name)).toEqual({ id: `AAAAAA${id}-P`, name: registrant.name });
    expect(await contactOf(second.name, user)).toEqual({ id: `BBBBBB${id}-P`, name: "Bob" });
  });

  it("do not confuse their orders, though both count from one", async () => {
    const { name, ...order } = orderFor("counted");
    const placed = (part: string) => ({ ...order, name, clientTransactionId: `registration-${part}-1` });
    const [first, second] = [at(fresh("aaaaaa")).registrar, at(fresh("bbbbbb")).registrar];
    expect(await first.register(placed("aaaaaa"))).toMatchObject({ outcome: "done" });
    expect(await second.register(placed("bbbbbb"))).toMatchObject({ outcome: "refused", reason: "rejected" });
    // Even with the exact id: a test copy of the first installation's data has its runs.
    const copied = await second.inquire(name, "registration-aaaaaa-1");
    expect(JSON.stringify(copied)).not.toContain("registration-");
    expect(await first.inquire(name, "registration-aaaaaa-1")).toMatchObject({
      value: { held: true, domain: { clientTransactionId: "registration-aaaaaa-1" } },
    });
  });

  it("put their part into every id of a command", async () => {
    class ListeningClient extends CountingClient {
      readonly ids: string[] = [];
      override async ask(command: Command, clientTransactionId?: string): Promise<Asked> {
        const asked = await super.ask(command, clientTransactionId);
        if (asked.kind === "answered") this.ids.push(asked.response.clientTransactionId ?? "");
        return asked;
      }
    }
    const { client, registrar } = replica("secret", ListeningClient, "sandbox", undefined, {
      installation: fresh("cccccc"),
    });
    const order = orderFor("listened");
    for (const id of [`registration-${"7".repeat(15)}`, `renewal-${"9".repeat(60)}`, "registration-cccccc-7"])
      await registrar.register({ ...order, name: `x${order.name}`, clientTransactionId: id });
    await registrar.inquire(order.name);
    const ids = client instanceof ListeningClient ? client.ids : [];
    expect(ids.length).toBeGreaterThan(4);
    for (const id of ids) expect(id).toMatch(/^(?=.{3,64}$).*cccccc/);
  });
});

describe("an id of a contact that is taken (2302)", () => {
  it.each([
    ["by another registrar", "sandbox2"],
    ["by another contact of ours", "sandbox"],
  ])("%s is passed over for another id", async (_, user) => {
    const part = user === "sandbox" ? "dddddd" : "eeeeee";
    await createContactAs(user, `${part.toUpperCase()}7-1-P`, "A stranger");
    const order = { ...orderFor("passed"), registrant: { ...registrant, id: "7-1" } };
    expect(await at(fresh(part)).registrar.register(order)).toMatchObject({ outcome: "done" });
    const contact = await contactOf(order.name);
    expect(contact).toMatchObject({ name: registrant.name });
    expect(contact.id).toMatch(new RegExp(`^${part.toUpperCase()}[0-9A-F]{8}-P$`));
    // Another process finds the existing contact.
    const second = { ...orderFor("passed"), registrant: { ...registrant, id: "7-1" } };
    await at(fresh(part)).registrar.register(second);
    expect(await contactOf(second.name)).toEqual(contact);
  });

  it("is checked before use: no order is sent while the registry does not answer", async () => {
    class DeafClient extends CountingClient {
      override ask(command: Command, clientTransactionId?: string): Promise<Asked> {
        const isInfo =
          command.content.name === "info" && command.content.children[0]?.namespace.includes("contact");
        if (isInfo === true) return Promise.resolve({ kind: "unanswered", message: "No answer." });
        return super.ask(command, clientTransactionId);
      }
    }
    await createContactAs("sandbox2", "FFFFFF7-1-P", "A stranger");
    const { client, registrar } = replica("secret", DeafClient, "sandbox", undefined, {
      installation: fresh("ffffff"),
    });
    const order = { ...orderFor("deaf"), registrant: { ...registrant, id: "7-1" } };
    expect(await registrar.register(order)).toMatchObject({ outcome: "refused", reason: "unreachable" });
    expect(client.sent).not.toContain("create domain");
  });

  it("ends the order after a few attempts, without a foreign contact", async () => {
    class CrowdedClient extends CountingClient {
      override async ask(command: Command, clientTransactionId?: string): Promise<Asked> {
        const asked = await super.ask(command, clientTransactionId);
        const isContact = command.content.children[0]?.namespace.includes("contact") === true;
        if (asked.kind !== "answered" || command.content.name !== "create" || !isContact) return asked;
        return { ...asked, response: { ...asked.response, code: 2302 } };
      }
    }
    const strict = at(fresh("gggggg"), "sandbox2").registrar;
    const order = { ...orderFor("crowded"), registrant: { ...registrant, id: "7-1" } };
    await strict.register(order);
    const { client, registrar } = replica("secret", CrowdedClient, "sandbox", undefined, {
      installation: fresh("gggggg"),
      clientId: "nobody-of-these",
    });
    const crowded = { ...orderFor("crowded"), registrant: { ...registrant, id: "7-1" } };
    expect(await registrar.register(crowded)).toMatchObject({ outcome: "refused", reason: "rejected" });
    expect(client.sent.filter((sent) => sent === "create contact")).toHaveLength(4);
    expect(client.sent).not.toContain("create domain");
  });
});

describe("what an earlier version left at the registry", () => {
  it("stays usable: its contacts, its orders, and its names' settings", async () => {
    await createContactAs("sandbox", "HL1-1-P", "An old customer");
    const { name, ...order } = orderFor("old");
    const plain = { ...order, name, clientTransactionId: "registration-17" };
    const upgraded = at({ ...ours, knowsPlainIds: true }).registrar;
    await upgraded.register(plain);
    expect(await upgraded.inquire(name, "registration-17")).toMatchObject({
      value: { held: true, domain: { clientTransactionId: "registration-17" } },
    });
    const session = await served.login();
    const changed = await session.command(
      `<update><domain:update ${xmlns.domain}><domain:name>${name}</domain:name>` +
        `<domain:chg><domain:registrant>HL1-1-P</domain:registrant></domain:chg></domain:update></update>`,
    );
    session.close();
    expect(changed.code).toBe("1000");
    // A foreign contact has the id that an earlier version would use for the other variant.
    await createContactAs("sandbox", "HL1-1-O", "A stranger");
    expect(await upgraded.updateSettings(name, { whoisPrivacy: false })).toMatchObject({
      value: { whoisPrivacy: false },
    });
    expect(await contactOf(name)).toEqual({ id: "K3X7M2HL1-1-O", name: "An old customer" });
    expect(await upgraded.updateSettings(name, { whoisPrivacy: true })).toMatchObject({
      value: { whoisPrivacy: true },
    });
    // An installation that never had plain order ids does not claim them.
    const stranger = await at(fresh("hhhhhh")).registrar.inquire(name, "registration-17");
    expect(JSON.stringify(stranger)).not.toContain("registration-17");
  });
});
