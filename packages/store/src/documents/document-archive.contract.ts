import { randomBytes } from "node:crypto";

import { beforeEach, describe, expect, it } from "vitest";

import type { DocumentArchive } from "./document-archive.port.ts";

/**
 * Describes the contract of every archive of documents.
 * @param open opens the same archive as another process would.
 */
export function describeDocumentArchive(name: string, open: () => Promise<DocumentArchive>): void {
  let documentId = 0;
  let archive: DocumentArchive;
  beforeEach(async () => {
    documentId += 999;
    archive = await open();
  });

  describe(`the archive of documents ${name}`, () => {
    it("stores a file of each format, for the next process too", async () => {
      const [pdf, xml] = [randomBytes(40_000), randomBytes(1)];
      expect(await archive.get({ documentId, format: "pdf" })).toBeUndefined();
      expect(await archive.put({ documentId, format: "pdf" }, pdf)).toEqual(pdf);
      expect(await archive.put({ documentId, format: "xml" }, xml)).toEqual(xml);

      const next = await open();
      expect(Buffer.from((await next.get({ documentId, format: "pdf" })) ?? [])).toEqual(pdf);
      expect(Buffer.from((await next.get({ documentId, format: "xml" })) ?? [])).toEqual(xml);
      expect(await next.get({ documentId: documentId + 1, format: "pdf" })).toBeUndefined();
    });

    it("never overwrites a file: one of concurrent writers wins, and all get its bytes", async () => {
      const file = { documentId, format: "pdf" } as const;
      const stored = await Promise.all(
        Array.from({ length: 10 }, async () => (await open()).put(file, randomBytes(100))),
      );
      const winner = await archive.get(file);
      expect(winner).toBeDefined();
      for (const bytes of stored) expect(Buffer.from(bytes)).toEqual(Buffer.from(winner ?? []));
      expect(Buffer.from(await archive.put(file, randomBytes(100)))).toEqual(Buffer.from(winner ?? []));
    });

    it("removes a file only while it has the named bytes", async () => {
      const file = { documentId, format: "xml" } as const;
      const [damaged, right] = [randomBytes(10), randomBytes(10)];
      await archive.put(file, damaged);
      await archive.remove(file, right);
      expect(Buffer.from((await archive.get(file)) ?? [])).toEqual(damaged);

      await archive.remove(file, damaged);
      expect(await archive.get(file)).toBeUndefined();
      await archive.put(file, right);
      await archive.remove(file, damaged);
      expect(Buffer.from((await archive.get(file)) ?? [])).toEqual(right);
    });
  });
}
