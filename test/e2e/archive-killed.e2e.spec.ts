import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { startPostgresServer } from "@hostledger/runtime/testing/postgres";
import type { EventStore } from "@hostledger/store";
import { listDocuments } from "@hostledger/store/documents";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";

import { property, readEvents } from "../support/books.ts";
import { filesBelow } from "../support/files-below.ts";
import { startInstance } from "../support/instance.ts";
import { metricOf } from "../support/metric-of.ts";
import { settled } from "../support/settled.ts";
import { openShop } from "../support/shop.ts";
import { customerAt } from "../support/staff-client.ts";

/** Kill -9 between charge, rendering, storing and `DocumentArchived`: one archive per document, always. */

const program = fileURLToPath(new URL("../support/dying-archive.fixture.ts", import.meta.url));

/** Points at which the process dies, and how many files of the order's document are stored by then. */
const deaths = [
  ["charged", 0],
  ["rendered", 0],
  ["pdf-stored", 1],
  ["xml-stored", 2],
  ["archived", 2],
] as const;

const soon = { timeout: 60_000, interval: 200 };

/** Location of the documents' bytes, with a function that lists them. */
interface Place {
  readonly environment: Readonly<Record<string, string>>;
  /** Lists all files of the archive as `ID.FORMAT`, sorted. */
  files(data: string): Promise<readonly string[]>;
}

function directory(): Promise<Place> {
  return Promise.resolve({
    environment: { HOSTLEDGER_DATABASE: "sqlite" },
    async files(data) {
      const found: string[] = [];
      for await (const { documentId, format } of listDocuments(join(data, "documents")))
        found.push(`${String(documentId)}.${format}`);
      // Files that a killed process was writing are gone too.
      expect(filesBelow(join(data, "documents"))).toHaveLength(found.length);
      return found.sort();
    },
  });
}

async function database(): Promise<Place> {
  const postgres = await startPostgresServer();
  onTestFinished(() => postgres.stop());
  return {
    environment: { HOSTLEDGER_DATABASE: postgres.url },
    async files() {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      const { rows } = await client.query<{ file: string }>(
        "select document_id || '.' || format as file from hostledger_documents.files",
      );
      await client.end();
      return rows.map(({ file }) => file).sort();
    },
  };
}

describe.each([
  ["in the data directory", directory],
  ["in PostgreSQL", database],
])("an archive %s", (_where, open) => {
  it.each(deaths)(
    "has each document once after a process was killed at the point: %s",
    async (death, left) => {
      const { environment, files } = await open();
      const { path: data, remove } = temporaryDirectory();
      onTestFinished(remove);
      const shop = await openShop({ data, environment });
      await expect.poll(() => metricOf(shop.instance, "hostledger_documents_waiting"), soon).toBe(0);
      const stored = await files(data);
      await shop.close();

      const domain = "killed-archive.com";
      const line = [program, data, shop.owner.apiKey, domain, death];
      const dying = spawn(process.execPath, line, {
        stdio: "inherit",
        env: { ...process.env, ...environment },
      });
      expect(await once(dying, "exit")).toEqual([null, "SIGKILL"]);
      expect(await files(data)).toHaveLength(stored.length + left);

      const stores: EventStore[] = [];
      const decorate = {
        store(opened: EventStore): EventStore {
          stores.push(opened);
          return opened;
        },
      };
      const instance = await startInstance({ data, environment, decorate });
      onTestFinished(() => instance.close());
      await settled(instance.staff, realTiming);
      await expect.poll(() => metricOf(instance, "hostledger_documents_waiting"), soon).toBe(0);

      const [store] = stores;
      if (store === undefined) throw new Error("the instance has opened no store");
      const events = await readEvents(store);
      const issued = events.filter(({ type }) => type === "InvoiceIssued");
      const archived = events.filter(({ type }) => type === "DocumentArchived");
      const idsOf = (list: typeof events, id: string) =>
        list.map((event) => Number(property(event.data, id)));
      expect(idsOf(archived, "documentId").sort()).toEqual(idsOf(issued, "invoiceId").sort());
      const named = archived.flatMap(({ data: event }) =>
        listedFiles(property(event, "files")).map(
          (format) => `${String(property(event, "documentId"))}.${format}`,
        ),
      );
      // No file without its event, and no event without its file.
      expect(await files(data)).toEqual(named.sort());

      const owner = customerAt(instance.baseUrl, shop.owner);
      for (const file of named.filter((one) => isOf(one, archived, shop.owner.accountId))) {
        const { status, body } = await owner.get(`/billing/invoices/${file}`);
        expect([file, status, String(body).slice(0, 5)]).toEqual([
          file,
          200,
          file.endsWith("pdf") ? "%PDF-" : "<?xml",
        ]);
      }
      expect(await metricOf(instance, "hostledger_documents_damaged")).toBe(0);
    },
  );
});

function listedFiles(files: unknown): readonly string[] {
  if (!Array.isArray(files)) throw new Error("the event names no files");
  return files.map((file) => String(property(file, "format")));
}

function isOf(file: string, archived: readonly { readonly data: unknown }[], accountId: number): boolean {
  return archived.some(
    ({ data }) =>
      property(data, "accountId") === accountId &&
      file.startsWith(`${String(property(data, "documentId"))}.`),
  );
}
