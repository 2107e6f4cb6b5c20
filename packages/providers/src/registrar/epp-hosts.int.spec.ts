import type { Glue } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import {
  askDomain,
  askHost,
  namespaces,
  readAddresses,
  type EppClient,
  type Greeting,
} from "../epp/index.ts";
import { CountingClient, eppRegistry, nameservers } from "./epp-replicas.fixture.ts";

/** A client of a registry without host objects (RFC 5731 §1.1). */
class HostlessClient extends CountingClient {
  override async greeting(): Promise<Greeting> {
    const greeting = await super.greeting();
    return { ...greeting, objects: greeting.objects.filter((object) => object !== namespaces.host) };
  }
}

const { served, replica, orderFor } = await eppRegistry();

describe("nameservers below the name itself", () => {
  async function addressesAt(client: EppClient, host: string) {
    const asked = await client.ask(askHost(host));
    return asked.kind === "answered" ? readAddresses(asked.response, host) : asked;
  }

  async function delegatedBelow(glue: (hosts: readonly string[]) => Glue, Client = CountingClient) {
    const { registrar, client } = replica("secret", Client);
    const { name, ...order } = orderFor("glue");
    await registrar.register({ name, ...order });
    const hosts = [`ns1.${name}`, `ns2.${name}`] as const;
    client.sent.length = 0;
    const answer = await registrar.updateNameservers(name, hosts, [], glue(hosts));
    return { registrar, client, name, hosts, answer };
  }
  const both = ([first = "", second = ""]: readonly string[]): Glue => ({
    [first]: ["192.0.2.1", "2001:db8::1"],
    [second]: ["192.0.2.2"],
  });

  it("are made with their addresses, and get others when they are delegated to again", async () => {
    const { registrar, client, name, hosts, answer } = await delegatedBelow(both);
    expect(answer).toMatchObject({ outcome: "done", value: { nameservers: hosts } });
    expect(await addressesAt(client, hosts[0])).toEqual(["192.0.2.1", "2001:db8::1"]);
    await registrar.updateNameservers(name, nameservers, []);
    const moved = { [hosts[0]]: ["2001:db8::1", "192.0.2.7"], [hosts[1]]: ["192.0.2.2"] };
    client.sent.length = 0;
    await registrar.updateNameservers(name, hosts, [], moved);
    expect(client.sent.filter((sent) => sent.endsWith(" host")).sort()).toEqual([
      "info host",
      "info host",
      "update host",
    ]);
    expect(await addressesAt(client, hosts[0])).toEqual(["2001:db8::1", "192.0.2.7"]);
    expect(await addressesAt(client, hosts[1])).toEqual(["192.0.2.2"]);
    expect(served.failures).toEqual([]);
  });

  it("keep an address that the registry writes another way than the zone, and get others beside it", async () => {
    const { registrar, client, name, hosts } = await delegatedBelow(both);
    await registrar.updateNameservers(name, nameservers, []);
    const written = (...more: readonly string[]) => ({
      [hosts[0]]: ["192.0.2.1", "2001:DB8:0:0::1", ...more],
      [hosts[1]]: ["192.0.2.2"],
    });
    client.sent.length = 0;
    await registrar.updateNameservers(name, hosts, [], written());
    expect(client.sent).not.toContain("update host");
    await registrar.updateNameservers(name, nameservers, []);
    await registrar.updateNameservers(name, hosts, [], written("2001:db8::2"));
    expect(await addressesAt(client, hosts[0])).toEqual(["192.0.2.1", "2001:db8::1", "2001:db8::2"]);
  });

  it("are refused without an address, before anything is changed; those with an address at the registry are accepted", async () => {
    const lacking = await delegatedBelow(([first = "", second = ""]) => ({
      [first]: ["192.0.2.1"],
      [second]: [],
    }));
    const { registrar, client, name, hosts } = lacking;
    expect(lacking.answer).toMatchObject({
      outcome: "refused",
      reason: "rejected",
      message: `${hosts[1]} is below the name itself, and its zone here has no A or AAAA record for it.`,
    });
    expect(await registrar.inquire(name)).toMatchObject({ value: { domain: { nameservers } } });
    await registrar.updateNameservers(name, hosts, [], both(hosts));
    await registrar.updateNameservers(name, nameservers, []);
    const none = { [hosts[0]]: [], [hosts[1]]: [] };
    expect(await registrar.updateNameservers(name, hosts, [], none)).toMatchObject({ outcome: "done" });
    expect(await addressesAt(client, hosts[1])).toEqual(["192.0.2.2"]);
  });

  it("are refused by the registry without an address", async () => {
    const { answer } = await delegatedBelow(() => ({}));
    expect(answer).toMatchObject({ outcome: "refused", reason: "rejected" });
    expect(JSON.stringify(answer)).toContain("2003");
  });

  it("send their addresses inline if the registry has no host objects", async () => {
    const { client, name, hosts, answer } = await delegatedBelow(both, HostlessClient);
    expect(answer).toMatchObject({ outcome: "done", value: { nameservers: hosts } });
    const shown = await client.ask(askDomain(name));
    const ns =
      shown.kind === "answered" && shown.response.data?.children.find((child) => child.name === "ns");
    expect(ns).toMatchObject({
      children: Object.entries(both(hosts)).map(([host, addresses]) => ({
        name: "hostAttr",
        children: [host, ...addresses].map((text) => ({ text })),
      })),
    });
    const lacking = await delegatedBelow(([first = ""]) => ({ [first]: [] }), HostlessClient);
    expect(lacking.answer).toMatchObject({ outcome: "refused", reason: "rejected" });
  });
});

describe("the end of a name with hosts below it", () => {
  /** Creates a domain with two hosts below it, and another domain that may use them. */
  async function hosting() {
    const { registrar, client } = replica();
    const { name, ...order } = orderFor("ends");
    await registrar.register({ name, ...order });
    const hosts = [`ns1.${name}`, `ns2.${name}`] as const;
    const glue = { [hosts[0]]: ["192.0.2.1"], [hosts[1]]: ["192.0.2.2"] };
    await registrar.updateNameservers(name, hosts, [], glue);
    const other = orderFor("stays");
    const otherRegistrar = replica("secret", CountingClient, "sandbox2").registrar;
    await otherRegistrar.register(other);
    client.sent.length = 0;
    return {
      registrar,
      client,
      name,
      hosts,
      delegateOther: (to: readonly string[]) => otherRegistrar.updateNameservers(other.name, to),
    };
  }

  it.each([
    [
      "elsewhere by now",
      async ({ registrar, name }: Awaited<ReturnType<typeof hosting>>) => {
        await registrar.updateNameservers(name, nameservers);
      },
    ],
    ["to them", () => Promise.resolve()],
  ])("that is delegated %s comes after theirs", async (_, before) => {
    const given = await hosting();
    const { registrar, client, name, hosts } = given;
    await before(given);
    for (let time = 0; time < 2; time += 1)
      expect(await registrar.cancel(name)).toEqual({ outcome: "done", value: undefined });
    expect(await registrar.inquire(name)).toEqual({ outcome: "done", value: { held: false } });
    for (const host of hosts)
      expect(await client.ask(askHost(host))).toMatchObject({ response: { code: 2303 } });
    expect(served.failures).toEqual([]);
  });

  it("is refused while another's name is delegated to one: the name keeps its remaining nameservers", async () => {
    const { registrar, name, hosts, delegateOther } = await hosting();
    expect(await delegateOther([hosts[1]])).toMatchObject({ outcome: "done" });
    for (let time = 0; time < 2; time += 1)
      expect(await registrar.cancel(name)).toMatchObject({
        outcome: "refused",
        reason: "rejected",
        message: expect.stringMatching(`${hosts[1]}.* 2305`),
      });
    expect(await registrar.inquire(name)).toMatchObject({ value: { domain: { nameservers: [hosts[1]] } } });
    await delegateOther(nameservers);
    expect(await registrar.cancel(name)).toMatchObject({ outcome: "done" });
  });

  it("sends no further command if there are none", async () => {
    const { registrar, client } = replica();
    const order = orderFor("plain");
    await registrar.register(order);
    client.sent.length = 0;
    await registrar.cancel(order.name);
    expect(client.sent.at(-1)).toBe("delete domain");
    expect(client.sent).not.toContain("delete host");
  });
});
