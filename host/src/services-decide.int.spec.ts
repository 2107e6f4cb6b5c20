import { readFileSync } from "node:fs";
import { join } from "node:path";

import { createClient } from "@connectrpc/connect";
import { domain } from "@hostledger/protocol";
import { createOutgoing, createServiceTransport } from "@hostledger/rpc";
import { silentLogger } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { readConfiguration } from "./configuration/index.ts";
import { startStandaloneNode } from "./event-store-node.ts";
import { start, staffOf, tokensIn } from "./standalone.fixture.ts";
import { startParts } from "./start-parts.ts";

const logger = silentLogger();

function settings(data: string, environment: Readonly<Record<string, string>>) {
  return {
    configuration: readConfiguration({ HOSTLEDGER_DATA: data, HOSTLEDGER_PORT: "0", ...environment }),
    logger,
    onFatal(error: Error): never {
      throw error;
    },
  };
}

it("a domain service apart charges an account on the store, while no other service runs", async () => {
  const data = directoryOfTest();
  const alone = await start(data);
  const demo = await alone.openDemo();
  const accountId = demo?.accountId ?? 0;
  await alone.close();

  const node = await startStandaloneNode(
    settings(data, { HOSTLEDGER_ESDB_PORT: "0", HOSTLEDGER_ESDB_WRITERS: "anyone" }),
  );
  const keys = join(data, "service-keys");
  const part = await startParts(
    ["domain"],
    settings(directoryOfTest(), {
      HOSTLEDGER_EVENT_STORE: node.connectionString,
      HOSTLEDGER_RPC_PORT: "0",
      HOSTLEDGER_ADMIN_TOKEN: readFileSync(join(data, "admin.token"), "utf8").trim(),
      HOSTLEDGER_SERVICE_KEY_FILE: join(keys, "domain.key"),
      HOSTLEDGER_SERVICE_JWKS_FILE: join(keys, "jwks.json"),
    }),
  );
  const transport = createServiceTransport({ urls: [part.baseUrl], logger });
  onTestFinished(() => transport.close());
  const headers = createOutgoing(tokensIn(data, "gateway"), ["domain"])({
    caller: { kind: "account", accountId, keyId: 1 },
    requestId: "request-1",
  });
  const answer = await createClient(domain.DomainService, transport).registerDomain(
    { domain: "example.com" },
    { headers },
  );
  expect(answer.domain?.domainName).toBe("example.com");
  await part.close();
  await node.close();

  const again = await start(data);
  const { charges } = await staffOf(again, data).accounts.listCharges({ accountId: BigInt(accountId) });
  expect(charges).toMatchObject([{ invoiceId: answer.invoiceId, grossCents: answer.amountChargedCents }]);
});
