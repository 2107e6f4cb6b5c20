import { TemporarilyUnavailableError } from "@hostledger/core";
import { startPostgresServer, type PostgresServer } from "@hostledger/runtime/testing/postgres";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { describeDocumentArchive } from "./document-archive.contract.ts";
import { openPostgresDocuments, type DocumentArchive } from "./index.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(async () => {
  await server.stop();
});

async function open(): Promise<DocumentArchive> {
  const archive = await openPostgresDocuments({ url: server.url });
  onTestFinished(() => archive.close());
  return archive;
}

describeDocumentArchive("in PostgreSQL", open);

describe("the archive of documents in PostgreSQL", () => {
  it("is made once by processes that start together", async () => {
    await Promise.all([open(), open(), open()]);
  });

  it("reports that it is unusable while PostgreSQL is down, and works again afterwards", async () => {
    const archive = await open();
    const file = { documentId: 7, format: "pdf" } as const;
    const bytes = Buffer.from("sealed");
    await archive.put(file, bytes);
    await server.crash();
    try {
      await expect(archive.get(file)).rejects.toThrow(TemporarilyUnavailableError);
    } finally {
      await server.start();
    }
    await expect.poll(() => archive.get(file).catch(() => undefined)).toEqual(bytes);
  });
});
