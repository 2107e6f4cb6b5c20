import { describe, expect, it } from "vitest";

import { namespaces, type Asked, type Command } from "../epp/index.ts";
import { element, type XmlElement } from "../epp/xml.ts";
import { CountingClient, eppRegistry } from "./epp-replicas.fixture.ts";

/** Creates a client of a registry that shows another authInfo, or none. */
function showing(shown: string | undefined) {
  const { domain } = namespaces;
  const code = shown === undefined ? [] : [element(domain, "authInfo", [element(domain, "pw", shown)])];
  const hidden = (child: XmlElement) => (child.name === "authInfo" ? code : [child]);
  return class extends CountingClient {
    override async ask(command: Command, clientTransactionId?: string): Promise<Asked> {
      const asked = await super.ask(command, clientTransactionId);
      if (asked.kind !== "answered" || asked.response.data === undefined) return asked;
      const { data } = asked.response;
      const children = data.children.flatMap(hidden);
      return { ...asked, response: { ...asked.response, data: { ...data, children } } };
    }
  };
}

const { served, replica, orderFor } = await eppRegistry();

describe("an order at a registry that shows nobody a name's code", () => {
  it("that was carried out unheard is recognised if the registry confirms a code (RFC 9154 §4.3), or answers 2202", async () => {
    const order = orderFor("cutafter");
    await replica().registrar.register(order);
    const { clientTransactionId } = order;
    const { registrar } = replica("secret", showing(undefined));
    expect(await registrar.inquire(order.name, clientTransactionId)).toMatchObject({
      value: { held: true, domain: { clientTransactionId } },
    });
    const others = [await registrar.inquire(order.name, "order-other"), await registrar.inquire(order.name)];
    for (const other of others)
      expect(other).toMatchObject({
        value: {
          held: true,
          domain: { clientTransactionId: expect.stringMatching(/^not-told:/) as unknown },
        },
      });
    // A repeat of the order gets its id; another order is refused.
    expect(await registrar.register(order)).toMatchObject({ value: { clientTransactionId } });
    expect(await registrar.register({ ...order, clientTransactionId: "order-other" })).toMatchObject({
      outcome: "refused",
    });
  });

  it.each(["", "******"])("succeeds if the registry hides codes behind the placeholder %j", async (shown) => {
    const order = orderFor("hidden");
    const { clientTransactionId } = order;
    const { registrar } = replica("secret", showing(shown));
    expect(await registrar.register(order)).toMatchObject({
      outcome: "done",
      value: { clientTransactionId, transferLock: true },
    });
    expect(await registrar.inquire(order.name, clientTransactionId)).toMatchObject({
      value: { domain: { clientTransactionId } },
    });
    expect(await registrar.authCode(order.name)).toMatchObject({
      value: { authCode: expect.stringMatching(/^[\w-]{32}$/) as unknown },
    });
  });

  it("succeeds if the registry says so, although it set a code of its own", async () => {
    const order = orderFor("minted");
    const { clientTransactionId } = order;
    const { registrar } = replica("secret", showing("Made-by-the-registry-1"));
    expect(await registrar.register(order)).toMatchObject({
      outcome: "done",
      value: { clientTransactionId, transferLock: true },
    });
  });

  it("retries a code that is set on demand while the registry shows none, for a limited time", async () => {
    const order = orderFor("coded");
    const { registrar } = replica("secret", showing(undefined));
    await registrar.register(order);
    const answer = await registrar.authCode(order.name);
    const authCode = answer.outcome === "done" ? answer.value.authCode : "";
    expect(authCode).toMatch(/^[\w-]{32}$/);
    const registered = served.fixture.opened.registry.domain(order.name);
    expect(registered?.details.authInfo).toBe(authCode);
  });
});
