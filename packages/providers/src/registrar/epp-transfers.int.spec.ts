import { afterAll, describe, expect, it } from "vitest";

import { namespaces, type Command } from "../epp/index.ts";
import { descendantOf } from "../epp/xml.ts";
import { ServedRegistry } from "../epp/server/serve-sandbox.fixture.ts";
import { CountingClient, eppRegistry, registrant } from "./epp-replicas.fixture.ts";
import { generic } from "./registries.ts";

const { served, replica, orderFor } = await eppRegistry();
const fiveDaysMs = 5 * 86_400_000;

describe("a transfer by EPP", () => {
  it("is known to another process that names the order", async () => {
    const { name } = orderFor("elsewhere");
    const order = { clientTransactionId: `transfer-${name}`, name, authCode: "let-me-go" };
    expect(await replica().registrar.transferIn(order)).toEqual({ outcome: "pending" });
    const { registrar } = replica();
    const { clientTransactionId } = order;
    expect(await registrar.inquireTransfer(name, { clientTransactionId })).toMatchObject({
      value: { state: "pending", clientTransactionId },
    });
    served.fixture.clock.epochMs += 1_000;
    expect(await registrar.inquireTransfer(name, { clientTransactionId })).toMatchObject({
      value: { state: "done", clientTransactionId, domain: { transferLock: true } },
    });
    expect(await replica().registrar.inquire(name)).toMatchObject({
      value: { held: true, domain: { clientTransactionId } },
    });
  });

  it("for a name that was ours before is recognised, and the name returns with its earlier code", async () => {
    const { name, ...first } = orderFor("returns");
    const { registrar } = replica();
    await registrar.register({ name, ...first });
    await registrar.updateSettings(name, { transferLock: false });
    const code = await registrar.authCode(name);
    const authCode = code.outcome === "done" ? code.value.authCode : "";
    const theirs = replica("their secret", CountingClient, "sandbox2").registrar;
    /** Transfers the domain to another registrar while its authInfo stays unchanged. */
    const moves = async (to: typeof registrar, clientTransactionId: string) => {
      const asked = await to.transferIn({ clientTransactionId, name, authCode });
      expect(asked).toEqual({ outcome: "pending" });
      served.fixture.clock.epochMs += fiveDaysMs;
      const { registry } = served.fixture.opened;
      registry.settleTransfers(served.fixture.clock.epochMs);
      const moved = registry.domain(name);
      if (moved !== undefined)
        registry.putDomain({ ...moved, details: { ...moved.details, authInfo: authCode } });
    };
    await moves(theirs, `away-${name}`);
    const clientTransactionId = `back-${name}`;
    await moves(replica().registrar, clientTransactionId);
    expect(await replica().registrar.inquireTransfer(name, { clientTransactionId })).toMatchObject({
      value: { state: "done", clientTransactionId, domain: { transferLock: true } },
    });
    expect(await replica().registrar.inquire(name)).toMatchObject({
      value: { domain: { clientTransactionId } },
    });
  });

  it("shows neither the code nor the password", async () => {
    const { registrar } = replica();
    const order = {
      clientTransactionId: "transfer-1",
      name: "elsewhere-canary.example",
      authCode: "canary-code",
    };
    const answers = [await registrar.transferIn(order), await registrar.inquireTransfer(order.name)];
    expect(JSON.stringify(answers)).not.toMatch(/canary-code|first-password/);
    expect(answers[0]).toMatchObject({ outcome: "refused", reason: "invalid-auth-code" });
  });
});

describe("a registrar whose identifier is another one than the one that is set", () => {
  const clientIds = new Map([["sandbox", "SANDBOX-ID"]]);
  const other = ServedRegistry.start({ clientIds });
  afterAll(async () => (await other).close());

  async function at(clientId: string) {
    const { server } = await other;
    return replica("secret", CountingClient, "sandbox", undefined, { clientId, server }).registrar;
  }

  const strange = {
    outcome: "unknown",
    message: expect.stringMatching(
      /SANDBOX-ID asked for the transfer of elsewhere-\d+\.example, and this registrar is set as sandbox\..*HOSTLEDGER_EPP_CLIENT_ID/u,
    ),
  };

  it("waits with a transfer that the registry accepted, names the missing setting, and completes after it is set", async () => {
    const { name } = orderFor("elsewhere");
    const order = { clientTransactionId: `transfer-${name}`, name, authCode: "let-me-go" };
    const wrong = await at("sandbox");
    expect(await wrong.transferIn(order)).toEqual({ outcome: "pending" });
    const { clientTransactionId } = order;
    // Known from its own memory, and from the run that another process takes over.
    expect(await wrong.inquireTransfer(name, { clientTransactionId })).toMatchObject(strange);
    const taken = { clientTransactionId, isTaken: true };
    expect(await (await at("sandbox")).inquireTransfer(name, taken)).toMatchObject(strange);
    (await other).fixture.clock.epochMs += 1_000;
    expect(await (await at("sandbox")).inquireTransfer(name, taken)).toMatchObject(strange);
    expect(await (await at("SANDBOX-ID")).inquireTransfer(name, taken)).toMatchObject({
      value: { state: "done", clientTransactionId },
    });
  });

  it("drops a transfer that staff abandon", async () => {
    const { name } = orderFor("elsewhere");
    const order = { clientTransactionId: `transfer-${name}`, name, authCode: "let-me-go" };
    const wrong = await at("sandbox");
    expect(await wrong.transferIn(order)).toEqual({ outcome: "pending" });
    expect(await wrong.cancelTransfer(name)).toMatchObject({ outcome: "done" });
    const { clientTransactionId } = order;
    expect(await wrong.inquireTransfer(name, { clientTransactionId })).toEqual({
      outcome: "done",
      value: { state: "none" },
    });
  });
});

describe("a registry that lets nobody read another registrar's contacts", () => {
  /** Answers 2201 to every question about foreign contacts. */
  class BlindClient extends CountingClient {
    override async ask(command: Command, clientTransactionId?: string) {
      const asked = await super.ask(command, clientTransactionId);
      const [object] = command.content.children;
      if (asked.kind !== "answered" || object?.namespace !== namespaces.contact || object.name !== "info")
        return asked;
      return { ...asked, response: { ...asked.response, code: 2201, message: "Authorization error" } };
    }
  }

  it.each([true, false])("releases a name all the same (contacts replaced: %s)", async (replacesContacts) => {
    const theirs = replica("their secret", CountingClient, "sandbox2").registrar;
    const held = { ...orderFor("blind"), registrant: { ...registrant, id: "FOREIGN-X" } };
    await theirs.register(held);
    const { registry } = served.fixture.opened;
    const domain = registry.domain(held.name);
    if (domain !== undefined)
      registry.putDomain({ ...domain, details: { ...domain.details, registrant: "FOREIGN" } });
    await theirs.updateSettings(held.name, { transferLock: false });
    const code = await theirs.authCode(held.name);
    const authCode = code.outcome === "done" ? code.value.authCode : "";
    const rules = { ...generic, transfers: { ...generic.transfers, replacesContacts } };
    const { registrar } = replica("secret", BlindClient, "sandbox", rules);
    const order = { clientTransactionId: `transfer-${held.name}`, name: held.name, authCode, registrant };
    expect(await registrar.transferIn(order)).toEqual({ outcome: "pending" });
    served.fixture.clock.epochMs += fiveDaysMs;
    // An unreadable contact does not count as hidden.
    expect(await registrar.inquireTransfer(held.name, order)).toMatchObject({
      value: { state: "done", domain: { transferLock: true, whoisPrivacy: replacesContacts } },
    });
    expect(await registrar.inquire(held.name)).toMatchObject({ value: { held: true } });
  });
});

describe("who a name is for that came", () => {
  const others = { ...registrant, id: "OTHERS-1", name: "Somebody Else" };

  async function heldElsewhere() {
    const { registrar } = replica("their secret", CountingClient, "sandbox2");
    const order = { ...orderFor("moves"), registrant: others };
    await registrar.register(order);
    await registrar.updateSettings(order.name, { transferLock: false });
    const code = await registrar.authCode(order.name);
    return { name: order.name, authCode: code.outcome === "done" ? code.value.authCode : "" };
  }

  /** Returns the domain's contacts at the registry, the registrant first. */
  const contactsOf = (name: string): readonly unknown[] => {
    const details = served.fixture.opened.registry.domain(name)?.details;
    return [details?.registrant, ...(details?.contacts ?? []).map(({ type, id }) => `${String(type)} ${id}`)];
  };
  const customer = { ...registrant, id: "ADA-1" };
  const ours = "K3X7M2ADA-1-P";

  it("is set at the registry, whichever process asks whether it arrived", async () => {
    const { name, authCode } = await heldElsewhere();
    const order = { clientTransactionId: `transfer-${name}`, name, authCode, registrant: customer };
    const before = contactsOf(name);
    expect(await replica().registrar.transferIn(order)).toEqual({ outcome: "pending" });
    served.fixture.clock.epochMs += fiveDaysMs;
    const { clientTransactionId } = order;
    const answer = await replica().registrar.inquireTransfer(name, {
      clientTransactionId,
      registrant: customer,
    });
    expect(answer).toMatchObject({ value: { state: "done", domain: { whoisPrivacy: true } } });
    expect(contactsOf(name)).toEqual([ours, `admin ${ours}`, `tech ${ours}`]);
    expect(before).toHaveLength(3);
    expect(before.join()).not.toContain(ours);
  });

  it("is requested again if its contact could not be created", async () => {
    const { name, authCode } = await heldElsewhere();
    const order = { clientTransactionId: `transfer-${name}`, name, authCode };
    await replica().registrar.transferIn(order);
    served.fixture.clock.epochMs += fiveDaysMs;
    const question = { ...order, registrant: { ...registrant, id: "NOWHERE-1", country: "nowhere" } };
    expect(await replica().registrar.inquireTransfer(name, question)).toMatchObject({ outcome: "unknown" });
    expect(await replica().registrar.inquire(name)).toMatchObject({ value: { held: true } });
    const repeated = await replica().registrar.inquireTransfer(name, { ...order, registrant: customer });
    expect(repeated).toMatchObject({ value: { state: "done" } });
    expect(contactsOf(name)[0]).toBe(ours);
  });

  it("is left to the registry if it says so", async () => {
    const { name, authCode } = await heldElsewhere();
    const registry = { ...generic, transfers: { years: undefined, replacesContacts: false } };
    const { registrar } = replica("secret", CountingClient, "sandbox", registry);
    const order = { clientTransactionId: `transfer-${name}`, name, authCode, registrant: customer };
    const before = contactsOf(name);
    await registrar.transferIn(order);
    served.fixture.clock.epochMs += fiveDaysMs;
    expect(await registrar.inquireTransfer(name, order)).toMatchObject({ value: { state: "done" } });
    expect(contactsOf(name)).toEqual(before);
  });
});

it.each([
  [1, "1"],
  [undefined, undefined],
])("a request asks for %j years, as its registry requires", async (years, sent) => {
  const requests: Command[] = [];
  class ListeningClient extends CountingClient {
    override ask(command: Command, clientTransactionId?: string) {
      if (command.content.attributes.op === "request") requests.push(command);
      return super.ask(command, clientTransactionId);
    }
  }
  const registry = { ...generic, transfers: { ...generic.transfers, years } };
  const { registrar } = replica("secret", ListeningClient, "sandbox", registry);
  const { name } = orderFor("elsewhere");
  await registrar.transferIn({ clientTransactionId: `transfer-${name}`, name, authCode: "let-me-go" });
  expect(
    requests.map(({ content }) => descendantOf(content, namespaces.domain, "transfer", "period")?.text),
  ).toEqual([sent]);
});
