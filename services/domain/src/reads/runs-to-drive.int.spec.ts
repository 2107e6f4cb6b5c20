import { join } from "node:path";

import { domainCodec, renewalRunCodec } from "@hostledger/core";
import { registrationExamples, renewalExamples } from "@hostledger/core/testing";
import { openTestStore } from "@hostledger/store/testing";
import { systemClock } from "@hostledger/runtime";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, onTestFinished, test } from "vitest";

import { domainQueries } from "./domain.queries.ts";
import { processRuns } from "./process-runs.projection.ts";
import { openProjected, toAppend } from "./projected-reads.fixture.ts";

const crowd = 10_001;

const beforeAll = "";

test("10,001 older runs of another kind, and those that wait for staff, hide no renewal", async () => {
  const directory = directoryOfTest();
  const clock = systemClock();
  const store = await openTestStore(join(directory, "events.sqlite"), { now: () => clock.now() });
  onTestFinished(() => store.close());
  const reservation = registrationExamples.reservation();
  const reserve = async (index: number): Promise<void> => {
    const name = `n${String(index)}.com`;
    const data = { ...reservation, name, registrationId: `registration-${String(index)}` };
    const reserved = toAppend(domainCodec, { type: "RegistrationReserved", data });
    await store.append(`domain-${name}`, "no-stream", [reserved]);
  };
  await Promise.all(Array.from({ length: crowd }, (_, index) => reserve(index)));
  const { events, renewal } = renewalExamples;
  const begin = (renewalId: string, startedAt: string) =>
    store.append(`domain-${renewalId}.com`, "no-stream", [
      toAppend(domainCodec, { type: "DomainRenewalStarted", data: { ...renewal, renewalId, startedAt } }),
    ]);
  await begin("renewal-1", "2028-02-25T10:00:00.000000Z");
  await begin("renewal-2", "2028-02-25T11:00:00.000000Z");
  await begin("renewal-3", "2028-02-25T12:00:00.000000Z");
  await store.append("renewal-1", "no-stream", [
    toAppend(renewalRunCodec, events.RenewalRunStarted),
    toAppend(renewalRunCodec, events.RenewalParked),
  ]);

  const { database } = await openProjected(store, directory, [processRuns]);
  const queries = domainQueries(database);
  const found = await queries.runsToDrive("renewal", beforeAll, 1_000);
  expect(found.map(({ run }) => run)).toEqual(["renewal-2", "renewal-3"]);
  const [first] = found;
  if (first === undefined) throw new Error("there is none");
  const after = await queries.runsToDrive("renewal", first.run, 1_000);
  expect(after.map(({ run }) => run)).toEqual(["renewal-3"]);
  await expect(queries.runsToDrive("registration", beforeAll, crowd + 1)).resolves.toHaveLength(crowd);
  const figures = await queries.runFigures();
  expect(figures.map(({ process, status, runs }) => [process, status, runs])).toEqual(
    expect.arrayContaining([
      ["registration", "running", crowd],
      ["renewal", "parked", 1],
      ["renewal", "running", 2],
    ]),
  );
  expect(figures).toHaveLength(3);
  const renewals = figures.find(({ process, status }) => process === "renewal" && status === "running");
  expect(renewals?.oldestStartedAt).toBe("2028-02-25T11:00:00.000000Z");
});
