import { describeRegistrarContract } from "../contract/registrar.contract.ts";
import { EppClient } from "../epp/index.ts";
import { ca, ServedRegistry } from "../epp/server/serve-sandbox.fixture.ts";
import { EppRegistrar } from "./epp-registrar.adapter.ts";
import { ours } from "./epp-replicas.fixture.ts";
import type { Registrant, RegistrationOrder, TransferOrder } from "./registrar.port.ts";
import { generic } from "./registries.ts";

const registrant: Registrant = {
  id: "ADA-1",
  kind: "organisation",
  name: "Ada Lovelace",
  organisation: "Analytical Engines GmbH",
  street: "Königsallee 1",
  city: "Berlin",
  postalCode: "10115",
  country: "DE",
  email: "ada@example.com",
  phone: "+49.3012345678",
};

let count = 0;

/** Adds a registrant, which this registry requires, to the contract's orders. */
class NamingRegistrar extends EppRegistrar {
  override register(order: RegistrationOrder) {
    return super.register({ registrant, ...order });
  }

  override transferIn(order: TransferOrder) {
    return super.transferIn({ registrant, ...order });
  }
}

describeRegistrarContract("EPP over TLS", async () => {
  const served = await ServedRegistry.start();
  const client = new EppClient({
    server: { host: "127.0.0.1", port: served.server.port, ca },
    user: "sandbox",
    password: "first-password",
    sessions: 4,
    timeLimitMs: 60_000,
  });
  const freshName = () => {
    count += 1;
    return `contract-${String(count)}.example`;
  };
  return {
    registrar: new NamingRegistrar({
      name: "Registry",
      client,
      clientId: "sandbox",
      installation: () => Promise.resolve(ours),
      secret: "secret",
      registry: generic,
    }),
    freshName,
    heldElsewhere: (answer) => ({
      name: `${answer === "releases" ? "elsewhere" : "elsewhere-refused"}-${freshName()}`,
      authCode: "let-me-go",
    }),
    letOthersAnswer() {
      served.fixture.clock.epochMs += 1_000;
    },
    async close() {
      await client.close();
      await served.close();
    },
  };
});
