import { domainAggregate, registrationCodec, type RegistrationEvent } from "@hostledger/core";
import { registrationExamples } from "@hostledger/core/testing";
import { createCommandHandler, writeMetadata, type EventStore } from "@hostledger/store";
import { AccountsFixture } from "@hostledger/store/testing";
import { randomIds } from "@hostledger/runtime";
import { virtualClock } from "@hostledger/runtime/testing";
import { afterEach, expect, it } from "vitest";

import {
  eventually,
  openDomainService,
  type DomainServiceFixture,
  type DomainServiceFixtureOptions,
} from "./domain-service.fixture.ts";

const { samples: events, reservation } = registrationExamples;
const context = { correlationId: "correlation-1", actor: "account:7" };
const run = "registration-3";
const started: RegistrationEvent = {
  type: "RegistrationStarted",
  data: { ...events.RegistrationStarted.data, registrationId: run },
};

let service: DomainServiceFixture | undefined;
afterEach(() => service?.close());

/**
 * Returns a store as an owner left it that died after these events of the run in which account 7 registers
 * example.com.
 */
function cutOffAfter(...events: readonly RegistrationEvent[]) {
  return async (store: EventStore): Promise<void> => {
    const commands = createCommandHandler({ store, recordedBy: "spec" });
    const { reservedAt: at, ...order } = { ...reservation(), registrationId: run };
    await commands.execute(
      domainAggregate,
      order.name,
      { type: "ReserveRegistration", data: { ...order, at } },
      { ...context, commandId: `${run}/ReserveRegistration` },
    );
    if (events.length === 0) return;
    const toAppend = events.map(({ type, data }) => ({
      id: randomIds.uuid(),
      type: registrationCodec.storedType(type),
      data: JSON.stringify(data),
      metadata: writeMetadata({ ...context, commandId: run }, "spec"),
    }));
    await store.append(run, "no-stream", toAppend);
  };
}

/** Starts with a clock whose time until the next take-over costs nothing. */
function start(options: Pick<DomainServiceFixtureOptions, "given" | "accounts">) {
  const clock = virtualClock();
  return openDomainService({ ...options, clock, busyWhile: clock.busyWhile, lifeCycleIntervalMs: 1_000 });
}

function accountSeven(balanceCents: bigint): AccountsFixture {
  const accounts = new AccountsFixture("domain");
  accounts.open(7, balanceCents);
  return accounts;
}

async function untilNothingIsUnfinished({ staff }: DomainServiceFixture): Promise<void> {
  await eventually(async () => {
    expect((await staff().listRuns({})).runs).toEqual([]);
  });
}

it("delivers at start-up the reserved names only", async () => {
  const accounts = accountSeven(5_000n);
  service = await start({ given: cutOffAfter(), accounts });
  await untilNothingIsUnfinished(service);
  const { domains } = await service.domains({ kind: "account", accountId: 7 }).listDomains({});
  expect(domains).toMatchObject([{ id: 3n, domainName: "example.com", dnsRecordsCount: 2 }]);
  expect(accounts.balanceOf(7)).toBe(3_000n);
});

it("orders at start-up the charged names, and charges nothing again", async () => {
  const accounts = accountSeven(3_000n);
  const given = cutOffAfter(started, events.RegistrationCharged);
  service = await start({ given, accounts });
  await untilNothingIsUnfinished(service);
  expect(service.sandbox.show().registrar).toMatchObject([{ name: "example.com", clientTransactionId: run }]);
  expect(accounts.balanceOf(7)).toBe(3_000n);
});

it("leaves parked runs to staff, also after a start", async () => {
  const given = cutOffAfter(started, events.RegistrationCharged, events.RegistrationParked);
  service = await start({ given, accounts: accountSeven(3_000n) });
  const { runs } = await service.staff().listRuns({ parkedOnly: true });
  expect(runs).toMatchObject([{ run, status: "parked", reason: "The service is down" }]);
  expect(service.sandbox.show().registrar).toEqual([]);

  await service.staff().retryRun({ run });
  await untilNothingIsUnfinished(service);
  expect(service.sandbox.show().registrar).toMatchObject([{ name: "example.com" }]);
});
