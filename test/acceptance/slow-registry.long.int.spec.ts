import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { openSandbox } from "@hostledger/providers";
import { serveRegistry } from "@hostledger/providers/epp/server";
import { systemClock } from "@hostledger/runtime";
import { certify, makeAuthority } from "@hostledger/runtime/certificates";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { startInstance } from "../support/instance.ts";
import { itemsOf, objectOf } from "../support/matchers.ts";
import { restClient } from "../support/rest-client.ts";

/** A registry that takes 1.5 s for each command, and whose `clID` is not the name that the registrar logs in with. */

const clock = systemClock();

async function startSlowRegistry() {
  const directory = directoryOfTest();
  const authority = await makeAuthority("test registry CA");
  const ca = join(directory, "ca.pem");
  writeFileSync(ca, authority.certificate);
  const sandbox = openSandbox({ path: ":memory:", clock, latencyMs: 1_500, limboMs: 60_000 });
  const registry = await serveRegistry({
    sandbox,
    clock,
    accounts: new Map([["login-name", "password-of-the-login"]]),
    clientIds: new Map([["login-name", "REGISTRAR-ID"]]),
    tls: await certify(authority, { commonName: "test registry", hosts: ["127.0.0.1"] }),
  });
  onTestFinished(async () => {
    await registry.close();
    sandbox.close();
  });
  return { sandbox, url: registry.url, ca };
}

it("a slow sale is confirmed and charged once under the sponsor id of HOSTLEDGER_EPP_CLIENT_ID", async () => {
  const { sandbox, url, ca } = await startSlowRegistry();
  const instance = await startInstance({
    environment: {
      HOSTLEDGER_REGISTRAR: "epp",
      HOSTLEDGER_EPP_URL: url,
      HOSTLEDGER_EPP_USER: "login-name",
      HOSTLEDGER_EPP_PASSWORD: "password-of-the-login",
      HOSTLEDGER_EPP_CLIENT_ID: "REGISTRAR-ID",
      HOSTLEDGER_EPP_CA: ca,
    },
  });
  onTestFinished(() => instance.close());
  const customer = restClient(instance.baseUrl, (await instance.openDemo())?.apiKey ?? "");
  const balance = async () => Number(objectOf((await customer.get("/billing/balance")).body).balance);
  const before = await balance();
  const names = ["slow-registry-1.com", "slow-registry-2.com"];
  const answers = await Promise.all(names.map((domain) => customer.post("/domains", { domain })));
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  for (const name of names) expect(sandbox.registry.domain(name)).toMatchObject({ sponsor: "REGISTRAR-ID" });
  expect(before - (await balance())).toBeCloseTo(2 * 11.9);
  const invoices = itemsOf((await customer.get("/billing/invoices")).body);
  expect(invoices.filter(({ action }) => action === "correction")).toEqual([]);
  // Later changes know the name for ours by that id, too.
  const id = String(objectOf(objectOf(answers[0]?.body).domain).id);
  expect(await customer.put(`/domains/${id}/settings`, { lock_status: false })).toMatchObject({
    status: 200,
  });
  expect(await customer.post(`/domains/${id}/renew`, { years: 1 })).toMatchObject({ status: 200 });
  const { runs } = await instance.staff.domains.listRuns({});
  expect(runs).toEqual([]);
});
