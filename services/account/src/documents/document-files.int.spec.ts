import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type IssuingTerms, seller, taxRules } from "@hostledger/core";
import {
  type DocumentArchive,
  type DocumentFormat,
  fileNameOf,
  openFileDocuments,
} from "@hostledger/store/documents";
import { sealFile } from "@hostledger/store/personal-data";
import { refusalOf } from "@hostledger/rpc/testing";
import { describe, expect, it, vi } from "vitest";

import type { AccountServiceFixture } from "../account-service.fixture.ts";
import { open, sell } from "./sold-document.fixture.ts";

/** Terms of documents of a seller with this name. */
function termsOf(name: string): IssuingTerms {
  const { seller: placeholder, ossFrom } = seller.initialState;
  const named = { ...placeholder, version: 1, name };
  return { seller: named, ossFrom, mode: "flat", rules: taxRules.initialState, retentionYears: 8 };
}

const text = (content: Uint8Array | undefined): string => Buffer.from(content ?? []).toString("latin1");

async function archivedEvents(service: AccountServiceFixture, invoiceId: bigint): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { type } of service.store.read(`document-${String(invoiceId)}`)) found.push(type);
  return found;
}

/** Paths of the archived files. */
function filesIn({ directory }: AccountServiceFixture): readonly string[] {
  const folder = join(directory, "documents", "000000");
  return readdirSync(folder).map((name) => join(folder, name));
}

describe("the files of a document", () => {
  it("are rendered once, and their bytes never change, even if the seller does", async () => {
    const service = await open({ issuingTerms: () => Promise.resolve(termsOf("First GmbH")) });
    const { documents, invoiceId, customer } = await sell(service);
    const { files } = await documents.getDocumentFiles({ invoiceId });
    expect(files.map(({ name, mediaType }) => [name.slice(-4), mediaType])).toEqual([
      [".pdf", "application/pdf"],
      [".xml", "application/xml"],
    ]);
    expect(text(files[0]?.content).slice(0, 5)).toBe("%PDF-");
    expect(text(files[1]?.content)).toContain("First GmbH");

    const later = await service.beside({ issuingTerms: () => Promise.resolve(termsOf("Second AG")) });
    const again = await later.documents(customer).getDocumentFiles({ invoiceId });
    expect(again.files).toEqual(files);
    const xml = await later.documents(customer).getDocumentFiles({ invoiceId, format: "xml" });
    expect(xml.files).toEqual(files.slice(1));
    expect(await archivedEvents(service, invoiceId)).toEqual(["DocumentArchived.v1"]);
    const fetched = await later.documentAdmin().fetchInvoice({ invoice: String(invoiceId), format: "pdf" });
    expect(fetched.content).toEqual(files[0]?.content);
  });

  it("of a cancelled receipt name the seller of the cancellation's issue, as all documents do", async () => {
    const service = await open({ issuingTerms: () => Promise.resolve(termsOf("First GmbH")) });
    const { accountId, documents } = await sell(service);
    const reversal = { reference: `bank-${String(accountId)}`, reason: "returned", allowDebt: true };
    await service.staff().reverseTopUp({ accountId, ...reversal });
    const { invoices } = await service.staff().listAllInvoices({ accountId });
    const cancelled = invoices.find(({ invoice }) => invoice?.cancelsReceipt)?.invoice?.id ?? 0n;
    await documents.getDocumentFiles({ invoiceId: cancelled });
    const archived: unknown[] = [];
    for await (const { data } of service.store.read(`document-${String(cancelled)}`))
      archived.push(JSON.parse(data));
    expect(archived).toMatchObject([{ isRenderedLater: false, keptUntilYear: 2034 }]);
  });

  it("are sealed in the archive, and the event has neither them nor their plain hash", async () => {
    const service = await open();
    const { documents, invoiceId } = await sell(service);
    await documents.getDocumentFiles({ invoiceId });
    expect(filesIn(service)).toHaveLength(2);
    for (const path of filesIn(service)) {
      const stored = readFileSync(path, "latin1");
      expect(stored).toMatch(/^sealed-file:v1:retention-1-2034:/u);
      expect(stored).not.toMatch(/%PDF|CrossIndustryInvoice/u);
    }
    for await (const { data } of service.store.read(`document-${String(invoiceId)}`))
      expect(data).toMatch(/"salt":"sealed:v2:retention-1-2034:/u);
  });

  it("are only the PDF for a receipt, whose XML is refused", async () => {
    const service = await open();
    const { documents, accountId, customer } = await sell(service);
    const { invoices } = await service.accounts(customer).listInvoices({ accountId });
    const receipt = invoices.find(({ action }) => action === "topup")?.id ?? 0n;
    expect((await documents.getDocumentFiles({ invoiceId: receipt })).files).toHaveLength(1);
    const refusal = await refusalOf(documents.getDocumentFiles({ invoiceId: receipt, format: "xml" }));
    expect(refusal).toMatchObject({ code: "not-found", message: expect.stringContaining("read its PDF") });
    expect(await refusalOf(documents.getDocumentFiles({ invoiceId: receipt, format: "html" }))).toMatchObject(
      {
        code: "validation-failed",
      },
    );
  });

  it('are refused to other customers, and "not found" if there is no such document', async () => {
    const service = await open();
    const [mine, theirs] = [await sell(service), await sell(service)];
    const { invoiceId } = theirs;
    await service.projector.after("end");
    expect(await refusalOf(mine.documents.getDocumentFiles({ invoiceId }))).toMatchObject({
      code: "unauthorized",
    });
    expect(await refusalOf(mine.documents.getArchivedDocument({ invoiceId }))).toMatchObject({
      code: "unauthorized",
    });
    expect(await refusalOf(mine.documents.getDocumentFiles({ invoiceId: 999n }))).toMatchObject({
      code: "not-found",
    });
  });

  it("are made once by two processes at the same moment, and both hand out the same bytes", async () => {
    const service = await open();
    const { invoiceId, customer } = await sell(service);
    const others = [await service.beside(), await service.beside()];
    const answers = await Promise.all(
      [service, ...others].map((each) => each.documents(customer).getDocumentFiles({ invoiceId })),
    );
    expect(answers[1]?.files).toEqual(answers[0]?.files);
    expect(answers[2]?.files).toEqual(answers[0]?.files);
    expect(await archivedEvents(service, invoiceId)).toEqual(["DocumentArchived.v1"]);
  });
});

describe("an archive that was interrupted", () => {
  /** Creates an archive whose process dies after so many stored files. */
  function dyingAfter(archive: DocumentArchive, files: number): DocumentArchive {
    let stored = 0;
    return {
      ...archive,
      async put(name, sealed) {
        if (stored === files) throw new Error("killed");
        stored += 1;
        return archive.put(name, sealed);
      },
    };
  }

  it.each([0, 1])("continues after %i stored files", async (files) => {
    const service = await open();
    const { invoiceId, customer } = await sell(service);
    const archive = await openFileDocuments(join(service.directory, "documents"));
    const killed = await service.beside({ archive: dyingAfter(archive, files) });
    await expect(killed.documents(customer).getDocumentFiles({ invoiceId })).rejects.toThrow();
    expect(await archivedEvents(service, invoiceId)).toEqual([]);
    const before = files === 0 ? [] : filesIn(service).map((path) => readFileSync(path));

    await service.documents(customer).getDocumentFiles({ invoiceId });
    expect(await archivedEvents(service, invoiceId)).toEqual(["DocumentArchived.v1"]);
    if (files > 0) expect(readFileSync(filesIn(service)[0] ?? "")).toEqual(before[0]);
  });

  it("uses whole bytes that no event names, and replaces damaged ones", async () => {
    const service = await open();
    const { documents, invoiceId } = await sell(service);
    const archive = await openFileDocuments(join(service.directory, "documents"));
    const subject = "retention-1-2034";
    const key = await service.subjectKeys.obtain(subject);
    if (key === "destroyed") throw new Error("destroyed");
    const documentId = Number(invoiceId);
    const earlier = (format: DocumentFormat) =>
      sealFile(Buffer.from("an earlier rendering"), key, {
        subject,
        field: fileNameOf({ documentId, format }),
      });
    await archive.put({ documentId, format: "xml" }, earlier("xml"));
    await archive.put({ documentId, format: "pdf" }, earlier("pdf").subarray(0, -1));

    const { files } = await documents.getDocumentFiles({ invoiceId });
    expect(text(files[0]?.content).slice(0, 5)).toBe("%PDF-");
    expect(text(files[1]?.content)).toBe("an earlier rendering");
    expect((await documents.getDocumentFiles({ invoiceId })).files).toEqual(files);
  });
});

describe("the background work", () => {
  it("archives every document without a download", async () => {
    const service = await open({ isTimeTrusted: () => true });
    const [one, other] = [await sell(service), await sell(service)];
    await vi.waitFor(
      async () => {
        service.clock.advance(1_000);
        for (const { invoiceId } of [one, other])
          expect(await archivedEvents(service, invoiceId)).toEqual(["DocumentArchived.v1"]);
        expect(await service.documentsWaiting()).toBe(0);
      },
      { timeout: 30_000, interval: 100 },
    );
  });

  it("loses nothing while the archive is gone: charges continue, and documents are archived when it is back", async () => {
    const service = await open({ isTimeTrusted: () => true });
    const root = join(service.directory, "documents");
    writeFileSync(root, "in the way");
    const { documents, invoiceId, accountId } = await sell(service);
    expect(await refusalOf(documents.getDocumentFiles({ invoiceId }))).toMatchObject({
      code: "temporarily-unavailable",
    });
    await service.projector.after("end");
    expect(await service.documentsWaiting()).toBe(2);
    expect((await documents.getDocumentFiles({ invoiceId }).catch(() => undefined))?.files).toBeUndefined();
    const staff = service.staff();
    await expect(staff.showAccount({ accountId })).resolves.toMatchObject({ balanceCents: 8_810n });

    rmSync(root);
    await vi.waitFor(
      async () => {
        service.clock.advance(600_000);
        expect(await service.documentsWaiting()).toBe(0);
      },
      { timeout: 30_000, interval: 100 },
    );
    expect((await documents.getDocumentFiles({ invoiceId })).files).toHaveLength(2);
  });
});

describe("an erased account", () => {
  it("has its documents archived first, and only finance can open them", async () => {
    const service = await open();
    const { accountId, invoiceId, documents } = await sell(service);
    await service.staff().eraseAccount({ accountId, force: true });
    // Neither a request of the customer that is still under way, nor the service that sends mail.
    for (const client of [documents, service.documents({ kind: "service", name: "support" })]) {
      expect(await refusalOf(client.getDocumentFiles({ invoiceId }))).toMatchObject({ code: "unauthorized" });
    }
    expect(await refusalOf(documents.getArchivedDocument({ invoiceId }))).toMatchObject({
      code: "unauthorized",
    });
    expect(await archivedEvents(service, invoiceId)).toEqual(["DocumentArchived.v1"]);
    const asked = { invoice: String(invoiceId), format: "xml" };
    const fetchAs = (role: "support" | "operator" | "finance" | "owner") =>
      service.documentAdmin(role).fetchInvoice(asked);
    for (const role of ["support", "operator"] as const)
      expect(await refusalOf(fetchAs(role))).toMatchObject({ code: "unauthorized" });
    expect(text((await fetchAs("finance")).content)).toContain("<ram:Name>Ada</ram:Name>");
  });
});

describe("an older backup of the store", () => {
  it("returns archived files, and archives nothing before staff accept it", async () => {
    const service = await open();
    const [archived, waiting] = [await sell(service), await sell(service)];
    await archived.documents.getDocumentFiles({ invoiceId: archived.invoiceId });
    const rewound = await service.beside({ refusesWrites: () => true });
    const { invoiceId, customer } = archived;
    expect((await rewound.documents(customer).getDocumentFiles({ invoiceId })).files).toHaveLength(2);
    const refused = rewound.documents(waiting.customer).getDocumentFiles({ invoiceId: waiting.invoiceId });
    expect(await refusalOf(refused)).toMatchObject({ code: "store-rewound" });
  });
});
