import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { startParts } from "@hostledger/host";
import { readConfiguration } from "@hostledger/host/configuration";
import { createStaffClient, partNames } from "@hostledger/rpc";
import { realTiming, silentLogger } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { startInstance } from "../support/instance.ts";
import { newDirectory, startPutBackServer } from "../support/put-back-store.ts";
import { openCustomer } from "../support/staff-client.ts";

/** Two data directories on one EventStoreDB store, without PostgreSQL. */

const refusal = /Another data directory uses this event store.*HOSTLEDGER_DATABASE.*--take-over-store/;

/** Starts an instance as `hostledger start` does, and catches errors that would end its process. */
async function start(data: string, environment: Readonly<Record<string, string>>, takesOver = false) {
  const fatal: Error[] = [];
  const configuration = readConfiguration({
    HOSTLEDGER_PORT: "0",
    HOSTLEDGER_ADMIN_PORT: "0",
    HOSTLEDGER_DATA: data,
    ...environment,
  });
  const onFatal = (error: Error) => void fatal.push(error);
  const standalone = await startParts(partNames, {
    configuration,
    logger: silentLogger(),
    onFatal,
    ...(takesOver && { storeClaim: "taken-over" }),
  });
  onTestFinished(() => standalone.close());
  return { standalone, fatal };
}

it("the store refuses a second data directory, while the first instance runs and after it was stopped or killed", async () => {
  const { environment } = await startPutBackServer();
  const data = newDirectory();
  const first = await startInstance({ data, environment });
  await openCustomer(first.staff, first.baseUrl, { name: "Ada", balanceCents: 100n });
  await expect(start(newDirectory(), environment)).rejects.toThrow(refusal);
  await first.close();
  await expect(start(newDirectory(), environment)).rejects.toThrow(refusal);

  // The same directory starts at once, also at another place: a restored backup brings the keys along.
  const restored = newDirectory();
  cpSync(join(data, "subject-keys.sqlite"), join(restored, "subject-keys.sqlite"));
  for (const directory of [data, restored]) {
    const { standalone, fatal } = await start(directory, environment);
    await standalone.close();
    expect(fatal).toEqual([]);
  }

  // The first directory is lost for good: staff take the store over once, and from then on the former directory is the stranger.
  const heir = newDirectory();
  const { standalone } = await start(heir, environment, true);
  await standalone.openDemo();
  await standalone.close();
  await expect(start(data, environment)).rejects.toThrow(refusal);
});

it("only one of two instances that started on an empty store may write, and the other ends", async () => {
  const { environment } = await startPutBackServer();
  const first = await startInstance({ data: newDirectory(), environment });
  onTestFinished(() => first.close());
  const data = newDirectory();
  const second = await start(data, environment);
  await openCustomer(first.staff, first.baseUrl, { name: "Ada" });
  const credential = readFileSync(join(data, "admin.token"), "utf8").trim();
  const staff = createStaffClient({ baseUrl: second.standalone.adminUrl, credential });
  await expect(staff.accounts.openAccount({ name: "Bob" })).rejects.toThrow();
  await eventually(realTiming, () => {
    expect(second.fatal.map(({ message }) => message)).toContainEqual(expect.stringMatching(refusal));
  });
});
