import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { TemporarilyUnavailableError } from "@hostledger/core";
import { directoryOfSuite, directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { describeDocumentArchive } from "./document-archive.contract.ts";
import { documentPath, listDocuments, openFileDocuments } from "./index.ts";

const shared = directoryOfSuite();
describeDocumentArchive("in a directory", () => openFileDocuments(join(shared, "documents")));

const file = { documentId: 12_345, format: "pdf" } as const;
const bytes = Buffer.from("sealed");

describe("the archive of documents in a directory", () => {
  it("permits only its owner to read files and folders", async () => {
    const directory = join(directoryOfTest(), "documents");
    const archive = await openFileDocuments(directory);
    await archive.put(file, bytes);
    expect(documentPath(file)).toBe(join("000012", "12345.pdf"));
    for (const path of ["", "000012", documentPath(file)])
      expect(statSync(join(directory, path)).mode & 0o077).toBe(0);
  });

  it("removes the partial files of a killed process", async () => {
    const directory = join(directoryOfTest(), "documents");
    mkdirSync(join(directory, "growing"), { recursive: true });
    writeFileSync(join(directory, "growing", "half"), "ha");
    await openFileDocuments(directory);
    expect(readdirSync(directory)).toEqual([]);
  });

  it("reports that it is unusable while something is in its place, and then continues", async () => {
    const directory = join(directoryOfTest(), "documents");
    writeFileSync(directory, "no directory");
    const archive = await openFileDocuments(directory);
    await expect(archive.put(file, bytes)).rejects.toThrow(TemporarilyUnavailableError);
    await expect(archive.put(file, bytes)).rejects.toThrow(/documents in .* cannot be written \(E\w+\)$/u);
    await expect(archive.get(file)).rejects.toThrow(TemporarilyUnavailableError);

    rmSync(directory);
    expect(await archive.put(file, bytes)).toEqual(bytes);
  });

  it("is neither read nor written while its directory is gone, and continues when that is back", async () => {
    const directory = join(directoryOfTest(), "documents");
    const archive = await openFileDocuments(directory);
    await archive.put(file, bytes);
    renameSync(directory, `${directory}.aside`);
    await expect(archive.get(file)).rejects.toThrow(TemporarilyUnavailableError);
    await expect(archive.put(file, bytes)).rejects.toThrow(/ is gone: mount its volume, or restore/u);
    expect(existsSync(directory)).toBe(false);

    renameSync(`${directory}.aside`, directory);
    expect(await archive.get(file)).toEqual(bytes);
  });

  it("lists its files, and nothing else", async () => {
    const directory = join(directoryOfTest(), "documents");
    const archive = await openFileDocuments(directory);
    const listed = [];
    for await (const { documentId } of listDocuments(directory)) listed.push(documentId);
    expect(listed).toEqual([]);

    for (const documentId of [7, 2_000, 12_345_678]) await archive.put({ documentId, format: "pdf" }, bytes);
    await archive.put({ documentId: 7, format: "xml" }, bytes);
    writeFileSync(join(directory, "000000", "notes.txt"), "a person's");
    for await (const { documentId, format, bytes: size } of listDocuments(directory))
      listed.push(`${String(documentId)}.${format} ${String(size)}`);
    expect(listed).toEqual(["7.pdf 6", "7.xml 6", "2000.pdf 6", "12345678.pdf 6"]);
  });
});
