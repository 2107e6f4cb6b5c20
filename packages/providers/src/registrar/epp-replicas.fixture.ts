import type { NamedInstallation } from "@hostledger/core";
import { afterAll } from "vitest";

import { EppClient, type Asked, type Command } from "../epp/index.ts";
import { accounts, ca, ServedRegistry } from "../epp/server/serve-sandbox.fixture.ts";
import { EppRegistrar } from "./epp-registrar.adapter.ts";
import type { Registrant } from "./registrar.port.ts";
import { generic } from "./registries.ts";
import type { Registry } from "./registries.ts";

export const registrant: Registrant = {
  id: "PROFILE-OF-ADA-1",
  kind: "person",
  name: "Ada <Lovelace> & Söhne",
  organisation: null,
  street: "Königsallee 1",
  city: "Berlin",
  postalCode: "10115",
  country: "DE",
  email: "ada@example.com",
  phone: "+49.3012345678",
};
export const nameservers = ["ns1.hostledger.example", "ns2.hostledger.example"];

/** Default installation of replicas. */
export const ours: NamedInstallation = { part: "k3x7m2", knowsPlainIds: true, isCopy: false };

export class CountingClient extends EppClient {
  readonly sent: string[] = [];

  override ask(command: Command, clientTransactionId?: string): Promise<Asked> {
    const [object] = command.content.children;
    this.sent.push(`${command.content.name} ${object?.namespace.replace(/.*:(\w+)-1\.0$/, "$1") ?? ""}`);
    return super.ask(command, clientTransactionId);
  }
}

/** Starts a registry for a file's tests, and creates processes that use it. */
export async function eppRegistry() {
  const served = await ServedRegistry.start();
  const clients: EppClient[] = [];
  let count = 0;
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await served.close();
  });

  /** Creates an independent process that uses the registry. */
  function replica(
    secret = "secret",
    Client = CountingClient,
    user = "sandbox",
    registry: Registry = generic,
    {
      installation = ours,
      clientId = user,
      server = served.server,
    }: {
      readonly installation?: NamedInstallation;
      readonly clientId?: string;
      readonly server?: { readonly port: number };
    } = {},
  ) {
    const named = () => Promise.resolve(installation);
    const client = new Client({
      server: { host: "127.0.0.1", port: server.port, ca },
      user,
      password: accounts.get(user) ?? "",
      sessions: 2,
      timeLimitMs: 60_000,
      installation: named,
    });
    clients.push(client);
    const options = { client, clientId, secret, registry, installation: named };
    return { client, registrar: new EppRegistrar({ name: "Registry", ...options }) };
  }

  function orderFor(label: string) {
    count += 1;
    const name = `${label}-${String(count)}.example`;
    return { clientTransactionId: `order-${name}`, name, years: 1, nameservers, registrant };
  }

  return { served, replica, orderFor };
}
