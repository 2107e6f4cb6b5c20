import { createHash } from "node:crypto";

import {
  type ArchivedDocument,
  documentAggregate,
  invoiceRetentionYears,
  rejection,
  staffTickets,
  StoreRewoundError,
} from "@hostledger/core";
import { noSuch, rejectionError } from "@hostledger/rpc";
import type { Clock, Logger } from "@hostledger/runtime";
import { KeyedMutex, Semaphore, SemaphoreFullError } from "@hostledger/runtime/async";
import { type CommandHandler, requestStaffTicket } from "@hostledger/store";
import { type DocumentArchive, type DocumentFormat, fileNameOf } from "@hostledger/store/documents";
import {
  fileSalt,
  keyOfRetention,
  type KeySource,
  notAvailableText,
  openFile,
  type SubjectKey,
  SubjectKeyMissingError,
  subjectOfAccount,
  subjectOfRetention,
} from "@hostledger/store/personal-data";

import type { DocumentContent, DocumentFiles, ProvenDocument } from "./document-files.port.ts";
import type { IssuedDocument } from "./issued-document.ts";
import type { RenderedFiles } from "./render-document.ts";
import { storeFile } from "./store-file.ts";

/** One rendering at a time, because each blocks a thread for 15 ms a page; callers beyond the limit must try again later. */
const renderingLimits = { permits: 1, waiting: 31 };

/** Maximum damaged files that this process remembers. */
const damagedLimit = 10_000;

/** Maximum wait for another attempt at the same document, in milliseconds. */
const attemptWaitMs = 30_000;

export interface DocumentFilesOptions {
  readonly archive: DocumentArchive;
  /** The keys, and the store with sealed texts. */
  readonly keySource: KeySource;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "error" | "warn">;
  /** True while the store is an older backup: then nothing is archived. */
  readonly refusesWrites: () => boolean;
  /** Finds a document; undefined if there is none. */
  readonly find: (documentId: number) => Promise<IssuedDocument | undefined>;
  readonly render: (issued: IssuedDocument) => Promise<RenderedFiles>;
}

const recordedBy = "account-service";

/** The term of the law has ended, and the key with it. */
const destroyed = "The law's term for this document has ended, and its files were destroyed.";

/**
 * Creates the reader and writer of documents' files.
 *
 * The bytes are stored before the event that names them. A process that dies in between leaves bytes that no event names; they
 * were shown to nobody, so the next attempt may use them. It does, if they open with the key, because another process may be
 * about to name them. Bytes that do not open are damaged, nobody can have named them, and they are replaced. Once an event
 * names bytes, they are never replaced.
 */
export function createDocumentFiles(options: DocumentFilesOptions): DocumentFiles {
  return new ArchivedFiles(options);
}

/** The result of a comparison: the content, or a clause about the damage, or the end of the key. */
type Checked = { readonly content: Uint8Array } | { readonly problem: string } | "destroyed" | "key-lost";

class ArchivedFiles implements DocumentFiles {
  readonly #options: DocumentFilesOptions;
  readonly #attempts = new KeyedMutex<number>();
  readonly #renderings = new Semaphore(renderingLimits);
  /** Names of the files that did not open the last time. */
  readonly #damaged = new Set<string>();

  constructor(options: DocumentFilesOptions) {
    this.#options = options;
  }

  async archived(documentId: number): Promise<ArchivedDocument> {
    const known = await this.#find(documentId);
    if (known !== undefined) return known;
    const release = await this.#attempts.acquire(documentId, attemptWaitMs);
    if (release === undefined) throw busy();
    try {
      return (await this.#find(documentId)) ?? (await this.#archive(documentId));
    } finally {
      release();
    }
  }

  async read(documentId: number, format?: DocumentFormat): Promise<readonly DocumentContent[]> {
    const document = await this.archived(documentId);
    const files = document.files.filter((file) => format === undefined || file.format === format);
    if (files.length === 0) throw rejectionError(rejection("not-found", noElectronicInvoice));
    const contents: DocumentContent[] = [];
    for (const file of files) {
      const checked = await this.#compare(document, file);
      if (checked === "destroyed") throw rejectionError(rejection("not-found", destroyed));
      if (checked === "key-lost") throw new SubjectKeyMissingError(retentionOf(document));
      if ("problem" in checked) {
        await this.#report(sentenceOf(document, file.format, checked.problem));
        throw rejectionError(rejection("document-damaged"));
      }
      contents.push({ format: file.format, content: checked.content });
    }
    return contents;
  }

  async proven(documentId: number): Promise<ProvenDocument> {
    const document = await this.archived(documentId);
    const key = await this.#keyOf(document);
    // A salt that does not open is computed from the key, which has to be the right one.
    if (!isReadable(document.salt)) await this.read(documentId);
    if (key === undefined) throw new SubjectKeyMissingError(retentionOf(document));
    if (key === "destroyed") throw rejectionError(rejection("not-found", destroyed));
    return { stream: streamOf(documentId), number: document.number, salt: saltOf(document, key) };
  }

  async problemOf(documentId: number): Promise<string | undefined> {
    const document = await this.#find(documentId);
    if (document === undefined) return undefined;
    const problems: string[] = [];
    for (const file of document.files) {
      const checked = await this.#compare(document, file);
      // Lost keys have a ticket of their own, and say nothing about the file.
      if (typeof checked === "string" || "content" in checked) continue;
      const sentence = sentenceOf(document, file.format, checked.problem);
      await this.#report(sentence);
      problems.push(sentence);
    }
    return problems[0];
  }

  damaged(): number {
    return this.#damaged.size;
  }

  async #find(documentId: number): Promise<ArchivedDocument | undefined> {
    return (await this.#options.commands.load(documentAggregate, String(documentId))).state.archived;
  }

  async #archive(documentId: number): Promise<ArchivedDocument> {
    const { clock, commands, find, keySource, refusesWrites } = this.#options;
    const issued = await find(documentId);
    if (issued?.document.invoice === undefined) throw noSuch("invoice");
    if (refusesWrites()) throw new StoreRewoundError("documents are archived after staff accepted the store");
    const { accountName, buyer, invoice } = issued.document;
    const accountId = Number(issued.document.accountId);
    // The archive is for ever: the document waits for the key of its buyer's name.
    if ((buyer?.name ?? accountName) === notAvailableText)
      throw new SubjectKeyMissingError(subjectOfAccount(accountId));
    const keptUntilYear =
      issued.keptUntilYear ?? Number(invoice.createdAt.slice(0, 4)) + invoiceRetentionYears;
    const subject = subjectOfRetention(accountId, keptUntilYear);
    const key = await keyOfRetention({ accountId, year: keptUntilYear }, keySource);
    if (key === undefined) throw new SubjectKeyMissingError(subject);
    if (key === "destroyed") throw rejectionError(rejection("not-found", destroyed));
    const salt = fileSalt(key, { subject, field: streamOf(documentId) });
    const files = [];
    for (const { format, content } of await this.#render(documentId, issued)) {
      const sealing = { content, key, subject };
      const stored = await storeFile(this.#options.archive, { documentId, format }, sealing);
      files.push({ format, bytes: stored.length, sha256: saltedHash(salt, stored) });
    }
    const isRenderedLater = issued.terms === null;
    const known = { documentId, accountId, number: invoice.number, keptUntilYear };
    const data = { ...known, files, salt, isRenderedLater, at: clock.now() };
    const correlationId = `archive-${String(documentId)}`;
    const executed = await commands.execute(
      documentAggregate,
      String(documentId),
      { type: "ArchiveDocument", data },
      { commandId: `${correlationId}/ArchiveDocument`, correlationId, actor: `process:${recordedBy}` },
    );
    if (!executed.accepted || executed.state.archived === undefined)
      throw new Error(`document ${String(documentId)} was not archived`);
    return executed.state.archived;
  }

  async #render(documentId: number, issued: IssuedDocument): Promise<RenderedFiles["files"]> {
    const { logger, render } = this.#options;
    const { files, missingCharacters } = await rendering(this.#renderings, () => render(issued));
    if (missingCharacters.length > 0)
      logger.warn(
        { documentId, characters: missingCharacters.join("") },
        "the fonts of documents lack characters, which the PDF shows as U+FFFD",
      );
    return files;
  }

  /** Checks a file, and counts it while it is damaged. */
  async #compare(document: ArchivedDocument, file: ArchivedDocument["files"][number]): Promise<Checked> {
    const checked = await this.#check(document, file);
    const name = fileNameOf({ documentId: document.documentId, format: file.format });
    const isDamaged = typeof checked !== "string" && "problem" in checked;
    if (!isDamaged) this.#damaged.delete(name);
    else if (this.#damaged.size < damagedLimit) this.#damaged.add(name);
    return checked;
  }

  async #check(
    document: ArchivedDocument,
    { format, bytes, sha256 }: ArchivedDocument["files"][number],
  ): Promise<Checked> {
    const { documentId } = document;
    const key = await this.#keyOf(document);
    if (key === "destroyed") return key;
    if (key === undefined) return "key-lost";
    const sealed = await this.#options.archive.get({ documentId, format });
    if (sealed === undefined) return { problem: "is missing" };
    const opened = openFile(sealed, key, fileNameOf({ documentId, format }));
    // Another key lies in the place of the one that sealed both the file and the salt.
    if ("problem" in opened && opened.problem === "another" && !isReadable(document.salt)) return "key-lost";
    if (!("content" in opened)) return { problem: "does not open: its bytes were changed" };
    const isSame =
      opened.content.length === bytes && saltedHash(saltOf(document, key), opened.content) === sha256;
    return isSame ? opened : { problem: "is not the one that its event names" };
  }

  /** Returns the key of a document's files; undefined for a lost key. */
  async #keyOf(document: ArchivedDocument): Promise<SubjectKey | undefined> {
    const subject = retentionOf(document);
    return (await this.#options.keySource.keys.find([subject])).get(subject);
  }

  async #report(sentence: string): Promise<void> {
    const { clock, logger } = this.#options;
    logger.error(sentence);
    await requestStaffTicket(this.#options, staffTickets.documentDamaged(sentence, clock.now()), recordedBy);
  }
}

/** Returns a document's salt. An erasure hides the event's copy, which the document's key gives again. */
function saltOf({ accountId, documentId, keptUntilYear, salt }: ArchivedDocument, key: Uint8Array): string {
  if (isReadable(salt)) return salt;
  return fileSalt(key, {
    subject: subjectOfRetention(accountId, keptUntilYear),
    field: streamOf(documentId),
  });
}

/** False for a salt that an erasure or a lost key hides. */
function isReadable(salt: string): boolean {
  return /^[0-9a-f]{64}$/u.test(salt);
}

/** Returns the subject of the key that a document's files are sealed with. */
function retentionOf({ accountId, keptUntilYear }: ArchivedDocument): string {
  return subjectOfRetention(accountId, keptUntilYear);
}

function streamOf(documentId: number): string {
  return `document-${String(documentId)}`;
}

/** Returns the SHA-256 of a salt's bytes followed by a file's. @param salt hexadecimal digits */
export function saltedHash(salt: string, content: Uint8Array): string {
  return createHash("sha256").update(Buffer.from(salt, "hex")).update(content).digest("hex");
}

const noElectronicInvoice =
  "The receipt of a top-up, or its cancellation, is no VAT invoice and has no XML; read its PDF.";

function sentenceOf(
  { documentId, number }: ArchivedDocument,
  format: DocumentFormat,
  problem: string,
): string {
  return `The archived file ${fileNameOf({ documentId, format })} of document ${number} ${problem}.`;
}

/** @throws ConnectError `overloaded` */
async function rendering<Result>(renderings: Semaphore, render: () => Promise<Result>): Promise<Result> {
  try {
    return await renderings.run(render);
  } catch (error) {
    throw error instanceof SemaphoreFullError ? busy() : error;
  }
}

function busy() {
  return rejectionError(
    rejection("overloaded", "Too many documents are being made at the moment. Try again in a second.", {
      retryAfterSeconds: 1,
    }),
  );
}
