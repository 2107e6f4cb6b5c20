import { readMetadata } from "@hostledger/store";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { expect, it } from "vitest";

import { startInstance } from "../support/instance.ts";
import { readLog } from "../support/log.ts";
import { openCustomer, sell } from "../support/staff-client.ts";

it("every event of a request has the answer's X-Request-Id in its metadata, from every service", async () => {
  const directory = temporaryDirectory();
  const instance = await startInstance({ data: directory.path });
  await sell(instance.staff, "com");
  const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 10_000n });
  const answer = await customer.post("/domains", { domain: "traced.com" });
  const requestId = answer.headers.get("x-request-id");
  await instance.close();

  const caused = (await readLog(directory.path))
    .map(({ type, metadata }) => ({ type, ...readMetadata(metadata) }))
    .filter((event) => event.requestId === requestId);
  directory.remove();
  expect(caused.map(({ type }) => type)).toEqual([
    "RegistrationReserved.v2",
    "BalanceCharged.v1",
    "InvoiceIssued.v3",
    "DomainRegistered.v1",
    "RegistrationStarted.v1",
    "RegistrationCharged.v1",
    "RegistrarOrderCompleted.v1",
    "RegistrationConfirmed.v1",
    "RegistrationCompleted.v1",
    "ZoneCreated.v1",
  ]);
  expect(new Set(caused.map(({ correlationId }) => correlationId))).toEqual(new Set([requestId]));
  expect(new Set(caused.map(({ recordedBy }) => recordedBy))).toEqual(
    new Set(["account-service", "domain-service"]),
  );
});

it("every answer has an X-Request-Id, also those of the audit service", async () => {
  const directory = temporaryDirectory();
  const instance = await startInstance({ data: directory.path });
  const { origin } = new URL(instance.baseUrl);
  for (const path of ["/audit", "/audit/rpc/x", "/audit/log/checkpoint", "/healthz", "/readyz", "/nowhere"])
    expect((await fetch(origin + path)).headers.get("x-request-id"), path).toMatch(/^[0-9a-f]{32}$/);
  await instance.close();
  directory.remove();
});
