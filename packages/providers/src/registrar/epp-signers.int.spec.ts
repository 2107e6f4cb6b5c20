import { expect, it } from "vitest";

import { buildXml, namespaces, type Command, type Greeting } from "../epp/index.ts";
import { CountingClient, eppRegistry, nameservers } from "./epp-replicas.fixture.ts";

const { replica, orderFor } = await eppRegistry();
const custom = ["ns1.customer.example", "ns2.customer.example"];
const own = { keyTag: 12_345, algorithm: 13, digestType: 2, digest: "AB".repeat(32) };
const other = { ...own, keyTag: 6 };

/** Records commands about DS records. */
class ListeningClient extends CountingClient {
  readonly said: string[] = [];

  override ask(command: Command, clientTransactionId?: string) {
    if (command.content.name === "update")
      this.said.push((command.extensions ?? []).map((extension) => buildXml(extension)).join());
    return super.ask(command, clientTransactionId);
  }
}

class UnsignedClient extends ListeningClient {
  override async greeting(): Promise<Greeting> {
    const greeting = await super.greeting();
    return { ...greeting, extensions: greeting.extensions.filter((uri) => uri !== namespaces.secDns) };
  }
}

async function registered(Client: typeof ListeningClient) {
  const { registrar, client } = replica("secret", Client);
  const { name, ...order } = orderFor("signed");
  expect(await registrar.register({ name, ...order })).toMatchObject({ outcome: "done" });
  if (!(client instanceof ListeningClient)) throw new Error("the client listens");
  client.said.length = 0;
  return { registrar, name, said: client.said };
}

const keyTagsIn = (xml: string, part: "rem" | "add"): readonly string[] => {
  const [, content = ""] = new RegExp(`<(?:\\w+:)?${part}\\b[^>]*>(.*?)</(?:\\w+:)?${part}>`).exec(xml) ?? [];
  return [...content.matchAll(/<(?:\w+:)?keyTag[^>]*>(\d+)</g)].map(([, tag = ""]) => tag);
};

it("sends no signers if there are none and none are wanted", async () => {
  const { registrar, name, said } = await registered(ListeningClient);
  expect(await registrar.updateNameservers(name, custom, [])).toMatchObject({ outcome: "done" });
  expect(said).toEqual([""]);
});

it("removes the existing signers, and no others", async () => {
  const { registrar, name, said } = await registered(ListeningClient);
  await registrar.updateNameservers(name, nameservers, [own]);
  await registrar.updateNameservers(name, nameservers, [other]);
  await registrar.updateNameservers(name, custom, []);
  expect(said.map((xml) => [keyTagsIn(xml, "rem"), keyTagsIn(xml, "add")])).toEqual([
    [[], ["12345"]],
    [["12345"], ["6"]],
    [["6"], []],
  ]);
  expect(said.join()).not.toMatch(/:all|<all/);
});

it("sends no signers to a registry that does not support them", async () => {
  const { registrar, name, said } = await registered(UnsignedClient);
  expect(await registrar.updateNameservers(name, custom, [own])).toMatchObject({ outcome: "done" });
  expect(said).toEqual([""]);
});
