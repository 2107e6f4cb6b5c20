import type { RecordedEvent } from "@hostledger/store";
import { refused, unknown, type Registrar } from "@hostledger/providers";
import { plainRegistrar } from "@hostledger/providers/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import { expect, it } from "vitest";

import { eventually, ofTest, openDomainService, operation } from "../domain-service.fixture.ts";

/** Registry errors that only staff can mend become tickets with the registry's text, once per reason and day. */

const words = {
  deposit: "The registry answers 2104: Billing failure: the deposit is used up",
  field: "The registry answers 2003: Required parameter missing: contact:sp",
  otherField: "The registry answers 2003: Required parameter missing: contact:pc",
  policy: "The registry answers 2306: Parameter value policy error",
  customers: "The registry answers 2202: Invalid authorization information",
};

async function refusing(message: () => string) {
  const registrar = (provider: Registrar): Registrar => ({
    ...plainRegistrar(provider),
    register: ({ name }) => Promise.resolve(refused("rejected", `${message()} (${name})`)),
    check: (name, order) =>
      name.startsWith("lost") ? Promise.resolve(unknown(words.policy)) : provider.check(name, order),
  });
  const service = ofTest(await openDomainService({ registrar }));
  const eventsOf = async (category: string) => {
    const found: RecordedEvent[] = [];
    const from = { from: "start", streamPrefixes: [`${category}-`] } as const;
    for await (const batch of service.store.subscribe(from)) {
      found.push(...batch.events);
      if (batch.caughtUp) break;
    }
    return found;
  };
  const tickets = async () => (await eventsOf("ticketcause")).map(({ data }) => data);
  return { service, tickets, eventsOf };
}

it("opens one ticket for each reason, however many orders fail because of it", async () => {
  let present = words.deposit;
  const { service, tickets } = await refusing(() => present);
  const { domains } = service.customer();
  const order = async (domain: string) => (await refusalOf(domains.registerDomain({ domain }))).code;
  expect(await order("one.com")).toBe("registrar-failed");
  expect(await order("two.com")).toBe("registrar-failed");
  await eventually(async () => {
    expect(await tickets()).toEqual([expect.stringContaining(words.deposit)]);
  });
  present = words.customers;
  expect(await order("three.com")).toBe("registrar-failed");
  for (present of [words.field, words.otherField, words.policy]) await order("four.com");
  await order("lost.com");
  await eventually(async () => {
    const asked = (await tickets()).join("\n");
    for (const said of [words.field, words.otherField, words.policy]) expect(asked).toContain(said);
    expect(asked).not.toContain("2202");
  });
});

it("shows staff the registrar's text in the result of the run, and the customer none of it", async () => {
  const { service, eventsOf } = await refusing(() => words.deposit);
  const { domains } = service.customer();
  const refusal = await refusalOf(domains.registerDomain({ domain: "one.com" }, operation("operation-1")));
  expect(JSON.stringify(refusal)).not.toContain("2104");
  const [run = ""] = (await eventsOf("registration")).map(({ stream }) => stream);
  const { steps } = await service.staff().showRun({ run });
  expect(steps).toContainEqual(
    expect.objectContaining({ event: "RegistrarOrderRefused", reason: `${words.deposit} (one.com)` }),
  );
  for (const other of ["registration-none", "account-101", "domain-one.com"])
    expect((await refusalOf(service.staff().showRun({ run: other }))).code).toBe("run-not-found");
});
