import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { refusalOf } from "@hostledger/rpc/testing";
import { PostgresSessions } from "@hostledger/runtime/postgres";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import {
  type DocumentArchive,
  type DocumentFileName,
  documentPath,
  openFileDocuments,
  openPostgresDocuments,
} from "@hostledger/store/documents";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";

import type { AccountServiceFixture } from "../account-service.fixture.ts";
import { open, sell, ticketsOf } from "./sold-document.fixture.ts";

/** Gives access to stored files past the archive, as an intruder would have. */

/** An archive, and a way past it to its stored bytes. */
interface ExposedArchive {
  readonly archive: DocumentArchive;
  /** Replaces the bytes of a file, or removes it. */
  overwrite(file: DocumentFileName, bytes: Uint8Array | undefined): Promise<void>;
}

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(() => server.stop());

async function inDirectory(): Promise<ExposedArchive> {
  const directory = join(directoryOfTest(), "documents");
  return {
    archive: await openFileDocuments(directory),
    overwrite(file, bytes) {
      const path = join(directory, documentPath(file));
      if (bytes === undefined) rmSync(path);
      else writeFileSync(path, bytes);
      return Promise.resolve();
    },
  };
}

async function inPostgres(): Promise<ExposedArchive> {
  const archive = await openPostgresDocuments({ url: server.url });
  const sessions = new PostgresSessions({ connectionString: server.url }, 1);
  onTestFinished(async () => {
    await sessions.query({ text: "truncate hostledger_documents.files" });
    await sessions.close();
    await archive.close();
  });
  return {
    archive,
    async overwrite({ documentId, format }, bytes) {
      const change = bytes === undefined ? "delete from" : "update";
      const set = bytes === undefined ? "" : "set sealed = $3";
      await sessions.query({
        text: `${change} hostledger_documents.files ${set} where document_id = $1 and format = $2`,
        values: [documentId, format, ...(bytes === undefined ? [] : [bytes])],
      });
    },
  };
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

/** Sells something, archives its files, and returns the stored bytes. */
async function archivedDocument(service: AccountServiceFixture, { archive }: ExposedArchive) {
  const { invoiceId, documents } = await sell(service);
  const documentId = Number(invoiceId);
  await documents.getDocumentFiles({ invoiceId });
  const stored = async (format: "pdf" | "xml") =>
    (await archive.get({ documentId, format })) ?? expect.fail(`no ${format}`);
  const xml = { documentId, format: "xml" } as const;
  return { invoiceId, documents, xml, stored: { pdf: await stored("pdf"), xml: await stored("xml") } };
}

type Stored = Awaited<ReturnType<typeof archivedDocument>>["stored"];

describe.each([
  ["in a directory", inDirectory],
  ["in PostgreSQL", inPostgres],
])("a document %s whose stored bytes were changed", (_where, openExposed) => {
  it.each<[string, (stored: Stored) => Uint8Array | undefined]>([
    ["a changed byte", ({ xml }) => flipped(xml, 200)],
    ["a changed header", ({ xml }) => flipped(xml, 3)],
    ["the header of another key", ({ xml }) => flipped(xml, 33)],
    ["its last byte cut off", ({ xml }) => xml.subarray(0, -1)],
    ["no bytes", () => new Uint8Array()],
    ["no file", () => undefined],
    ["the bytes of another file", ({ pdf }) => pdf],
  ])("with %s is not handed out, is counted, and opens one ticket", async (_what, harm) => {
    const exposed = await openExposed();
    const service = await open(exposed);
    const { invoiceId, documents, xml, stored } = await archivedDocument(service, exposed);
    expect(service.documentsDamaged()).toBe(0);
    await exposed.overwrite(xml, harm(stored));
    for (let times = 0; times < 2; times += 1) {
      const refusal = await refusalOf(documents.getDocumentFiles({ invoiceId, format: "xml" }));
      expect(refusal).toMatchObject({ code: "document-damaged" });
    }
    const tickets = await ticketsOf(service);
    expect(tickets).toHaveLength(1);
    expect(tickets[0]).toContain(`document-${String(invoiceId)}.xml of document 2026-`);
    expect(service.documentsDamaged()).toBe(1);
    // The other file is whole, and handed out.
    expect((await documents.getDocumentFiles({ invoiceId, format: "pdf" })).files).toHaveLength(1);
    expect(service.documentsDamaged()).toBe(1);
  });

  it("is found by the daily comparison without a download, until the file is restored", async () => {
    const exposed = await openExposed();
    const service = await open(exposed);
    const { xml, stored } = await archivedDocument(service, exposed);
    await exposed.overwrite(xml, flipped(stored.xml, 500));
    const later = await service.beside({ ...exposed, isTimeTrusted: () => true });
    const damagedAfter = (milliseconds: number, damaged: number) =>
      vi.waitFor(
        () => {
          service.clock.advance(milliseconds);
          expect(later.documentsDamaged()).toBe(damaged);
        },
        { timeout: 20_000, interval: 100 },
      );
    await damagedAfter(60_000, 1);
    expect(await ticketsOf(service)).toHaveLength(1);

    // A file that an event names is never replaced.
    expect(Buffer.from((await exposed.archive.get(xml)) ?? [])).toEqual(
      Buffer.from(flipped(stored.xml, 500)),
    );
    await exposed.overwrite(xml, stored.xml);
    await damagedAfter(86_400_000, 0);
  });
});
