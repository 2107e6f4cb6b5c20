import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { realTiming } from "@hostledger/runtime";
import { eventually } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { hostledgerInProcess, textInProcess } from "../support/command-in-process.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { newDirectory, startPutBackServer } from "../support/put-back-store.ts";
import { openShop, registerName } from "../support/shop.ts";
import { customerAt, openCustomer, staffReadiness } from "../support/staff-client.ts";

/** A store with events and no audit log has lost its log: nothing is signed until staff say why a new one may begin. */

async function startAgain(data: string, environment: Readonly<Record<string, string>> = {}) {
  const instance = await startInstance({ data, environment });
  onTestFinished(() => instance.close());
  return instance;
}

async function logState({ adminUrl, data }: Instance): Promise<unknown> {
  const { parts } = await staffReadiness(adminUrl, data);
  return (parts as Record<string, unknown>)["audit-log"];
}

async function expectLostUntilRestarted(instance: Instance): Promise<void> {
  expect(await logState(instance)).toBe("stopped");
  await eventually(realTiming, async () => {
    const { tickets } = await instance.staff.support.listAllTickets({});
    expect(tickets.map((ticket) => ticket.ticket?.title)).toContain(
      "The audit log is lost, and nothing is signed",
    );
  });
  const restarted = await textInProcess(
    instance,
    realTiming,
    "audit",
    "log",
    "restart",
    "--reason",
    "disk lost",
  );
  expect(restarted).toMatchObject({ code: 0, stderr: "" });
  expect(await logState(instance)).toBe("following");
  await eventually(realTiming, async () => {
    const verified = await textInProcess(instance, realTiming, "audit", "verify", "--live");
    expect(verified).toMatchObject({ code: 0, stderr: "" });
  });
}

it("the audit log is lost if its files and the mark beside them are missing, and orders continue", async () => {
  const data = newDirectory();
  const shop = await openShop({ data });
  expect(await logState(shop.instance)).toBe("following");
  await shop.close();
  rmSync(join(data, "audit"), { recursive: true });
  rmSync(join(data, "audit-log.begun"));
  const instance = await startAgain(data);
  await registerName(customerAt(instance.baseUrl, shop.owner), "meanwhile.com");
  await expectLostUntilRestarted(instance);
});

it("the audit log is lost if a used store of a server is opened with a new data directory", async () => {
  const { environment } = await startPutBackServer();
  const data = newDirectory();
  const first = await startInstance({ data, environment });
  await openCustomer(first.staff, first.baseUrl, { name: "Ada", balanceCents: 100n });
  await first.close();
  const fresh = newDirectory();
  copyFileSync(join(data, "subject-keys.sqlite"), join(fresh, "subject-keys.sqlite"));
  await expectLostUntilRestarted(await startAgain(fresh, environment));
});

it("the audit log is not lost after staff imported the store, until its new log is lost", async () => {
  const origin = newDirectory();
  await (await openShop({ data: origin })).close();
  const [file, data] = [join(newDirectory(), "store.ndjson"), newDirectory()];
  expect(await hostledgerInProcess({}, "store", "export", file, "--data", origin)).toMatchObject({ code: 0 });
  expect(await hostledgerInProcess({}, "store", "import", file, "--data", data)).toMatchObject({ code: 0 });
  copyFileSync(join(origin, "subject-keys.sqlite"), join(data, "subject-keys.sqlite"));
  const imported = await startInstance({ data });
  expect(await logState(imported)).toBe("following");
  await imported.close();
  rmSync(join(data, "audit"), { recursive: true });
  rmSync(join(data, "audit-log.begun"));
  await expectLostUntilRestarted(await startAgain(data));
});
