import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { errorCodeOf } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { smallDisk } from "../support/disks.ts";
import { startInstanceProcess, type InstanceProcess } from "../support/instance-process.ts";
import { objectOf } from "../support/matchers.ts";
import { metricOf } from "../support/metric-of.ts";
import { openCustomer, sell, staffReadiness, type Customer } from "../support/staff-client.ts";

/** An archive directory that is full or gone: orders go on, the backlog is shown, and nothing is lost. */

const soon = { timeout: 90_000, interval: 200 };

interface Started {
  readonly instance: InstanceProcess;
  readonly customer: Customer;
}

/** @param prepare called before the first document is issued, while there is no directory of documents yet */
async function start(data: string, prepare = (): void => undefined): Promise<Started> {
  const instance = await startInstanceProcess(data, {
    environment: { HOSTLEDGER_DATABASE: "sqlite", HOSTLEDGER_LOG_LEVEL: "silent" },
  });
  onTestFinished(() => instance.kill());
  prepare();
  await sell(instance.staff, "com");
  const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 100_000n });
  return { instance, customer };
}

const waiting = ({ instance }: Started) => metricOf(instance, "hostledger_documents_waiting");
const health = async ({ instance: { adminUrl, data } }: Started) => {
  const { status, parts } = await staffReadiness(adminUrl, data);
  return { status, documents: objectOf(parts).documents };
};

/** Orders, and returns the ids of all documents of the customer. */
async function order({ customer }: Started, names: readonly string[]): Promise<readonly number[]> {
  for (const domain of names)
    expect(await customer.post("/domains", { domain })).toMatchObject({ status: 201 });
  const { body } = await customer.get("/billing/invoices");
  const { invoices } = objectOf(body);
  const list = Array.isArray(body) ? body : Array.isArray(invoices) ? invoices : [];
  return list.map((invoice) => Number(objectOf(invoice).id));
}

async function expectAllArchived(started: Started, ids: readonly number[]): Promise<void> {
  await expect.poll(() => waiting(started), soon).toBe(0);
  expect(await health(started)).toEqual({ status: 200, documents: "available" });
  expect(ids.length).toBeGreaterThan(1);
  for (const id of ids) {
    const { status, body } = await started.customer.get(`/billing/invoices/${String(id)}.pdf`);
    expect([status, String(body).slice(0, 5)]).toEqual([200, "%PDF-"]);
  }
  expect(await metricOf(started.instance, "hostledger_documents_damaged")).toBe(0);
}

async function expectWaiting(started: Started, ids: readonly number[], documents: number): Promise<void> {
  await expect.poll(() => waiting(started), soon).toBe(documents);
  await expect.poll(() => health(started), soon).toEqual({ status: 200, documents: "unavailable" });
  const refused = await started.customer.get(`/billing/invoices/${String(ids.at(-1))}.pdf`);
  expect(refused).toMatchObject({ status: 503, body: { code: "temporarily_unavailable" } });
}

it("a full disk of documents: orders continue, documents wait, and are archived when there is room", async () => {
  const { path: data, remove } = temporaryDirectory();
  onTestFinished(remove);
  const disk = smallDisk(1);
  onTestFinished(() => {
    disk.remove();
  });
  // Without the privilege to mount a disk, a file in place of the directory prevents writes.
  const isMounted = disk.fileBlocks === undefined;
  const documents = join(data, "documents");
  const filler = isMounted ? join(disk.path, "filler") : documents;
  const started = await start(data, () => {
    if (isMounted) {
      symlinkSync(disk.path, documents);
      fill(filler);
    } else writeFileSync(filler, "");
  });
  const ids = await order(started, ["full-1.com", "full-2.com", "full-3.com"]);
  await expectWaiting(started, ids, 4);

  rmSync(filler);
  await expectAllArchived(started, ids);
});

it("a directory of documents that disappears at run time: documents wait until it is back, and none is lost", async () => {
  const { path: data, remove } = temporaryDirectory();
  onTestFinished(remove);
  const started = await start(data);
  const [first] = await order(started, ["gone-1.com"]);
  await expect.poll(() => waiting(started), soon).toBe(0);

  const documents = join(data, "documents");
  renameSync(documents, `${documents}.unmounted`);
  const ids = await order(started, ["gone-2.com", "gone-3.com"]);
  await expectWaiting(started, ids, 2);
  // Earlier archived documents do not count as damaged.
  const early = await started.customer.get(`/billing/invoices/${String(first)}.pdf`);
  expect(early).toMatchObject({ status: 503, body: { code: "temporarily_unavailable" } });
  // Nothing was written elsewhere meanwhile.
  expect(existsSync(documents)).toBe(false);

  renameSync(`${documents}.unmounted`, documents);
  await expectAllArchived(started, ids);
});

it("a directory of documents that was removed for good: new documents are archived once staff make an empty one", async () => {
  const { path: data, remove } = temporaryDirectory();
  onTestFinished(remove);
  const started = await start(data);
  const before = await order(started, ["removed-1.com"]);
  await expect.poll(() => waiting(started), soon).toBe(0);

  const documents = join(data, "documents");
  rmSync(documents, { recursive: true });
  const ids = await order(started, ["removed-2.com"]);
  await expectWaiting(started, ids, 1);
  mkdirSync(documents, { mode: 0o700 });
  await expect.poll(() => waiting(started), soon).toBe(0);
  const { status } = await started.customer.get(`/billing/invoices/${String(ids.at(-1))}.pdf`);
  expect(status).toBe(200);
  // Earlier documents are only in the backup, and are refused until it is restored.
  const lost = await started.customer.get(`/billing/invoices/${String(before[0])}.pdf`);
  expect(lost).toMatchObject({ status: 500, body: { code: "document_damaged" } });
});

/** Writes a file until its disk is full. */
function fill(file: string): void {
  for (let bytes = 65_536; bytes > 0;)
    try {
      writeFileSync(file, Buffer.alloc(bytes), { flag: "a" });
    } catch (error) {
      if (errorCodeOf(error) !== "ENOSPC") throw error;
      bytes = Math.floor(bytes / 2);
    }
}
