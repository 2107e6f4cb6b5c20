import { renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { directoryOfTest } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { readinessOf, request, staffOf, start } from "./standalone.fixture.ts";
import type { StartedParts } from "./start-parts.ts";

/** The keys of archived documents are lost, and may come back. */

const poll = { timeout: 30_000 };
const documentsSchema = z.array(z.object({ id: z.int(), action: z.string() }));
const keySchema = z.object({ subject: z.string(), key: z.instanceof(Uint8Array) });

type Key = z.infer<typeof keySchema>;

function withKeys<Result>(data: string, work: (keys: DatabaseSync) => Result): Result {
  const keys = new DatabaseSync(join(data, "subject-keys.sqlite"), { timeout: 5_000 });
  try {
    return work(keys);
  } finally {
    keys.close();
  }
}

const keysIn = (data: string): readonly Key[] =>
  withKeys(data, (keys) =>
    z
      .array(keySchema)
      .parse(keys.prepare("SELECT subject, key FROM subject_keys WHERE key IS NOT NULL").all()),
  );

/** Subjects of the keys of documents. */
const documentKeysIn = (data: string): readonly string[] =>
  keysIn(data)
    .map(({ subject }) => subject)
    .filter((subject) => subject.startsWith("retention-"));

async function documentsOf(instance: StartedParts, key: string) {
  return documentsSchema.parse((await request(instance, key, "/billing/invoices")).body);
}

/** Downloads a PDF. @returns its bytes, or the error's code */
async function download({ baseUrl }: StartedParts, key: string, id: number): Promise<Buffer | string> {
  const answer = await fetch(`${baseUrl}/billing/invoices/${String(id)}.pdf`, {
    headers: { authorization: key },
  });
  if (answer.status === 200) return Buffer.from(await answer.arrayBuffer());
  return z.object({ code: z.string() }).parse(await answer.json()).code;
}

/** Creates a customer with archived documents, and runs `lose` on its keys while no process runs. */
async function withLostKeys(
  lose: (data: string) => void,
  orders: readonly string[] = ["first.com"],
): Promise<{
  readonly data: string;
  readonly instance: StartedParts;
  readonly key: string;
  readonly accountId: bigint;
  readonly archived: ReadonlyMap<number, Buffer>;
  /** Copies the lost keys back into the present file, as docs/runbook.md says. */
  readonly putBack: () => void;
}> {
  const data = directoryOfTest();
  const first = await start(data);
  await first.openDemo();
  const { accounts } = staffOf(first, data);
  const { accountId } = await accounts.openAccount({ name: "Ada" });
  await accounts.topUpAccount({ accountId, amountCents: 10_000n, reference: "first" });
  const { apiKey: key } = await accounts.issueApiKey({ accountId });
  for (const domain of orders)
    expect(await request(first, key, "/domains", { domain })).toMatchObject({ status: 201 });
  const archived = new Map<number, Buffer>();
  for (const { id } of await documentsOf(first, key)) {
    const bytes = await download(first, key, id);
    if (typeof bytes === "string") expect.fail(bytes);
    archived.set(id, bytes);
  }
  await first.close();
  const before = keysIn(data);
  lose(data);
  const putBack = (): void => {
    withKeys(data, (keys) => {
      const insert = keys.prepare("INSERT INTO subject_keys VALUES (?, ?)");
      const present = new Set(keysIn(data).map(({ subject }) => subject));
      for (const { subject, key: bytes } of before) if (!present.has(subject)) insert.run(subject, bytes);
    });
  };
  return { data, instance: await start(data), key, accountId, archived, putBack };
}

const loseFile = (data: string): void => {
  renameSync(join(data, "subject-keys.sqlite"), join(data, "lost.sqlite"));
};
const loseDocumentKeys = (data: string): void => {
  withKeys(data, (keys) => keys.prepare("DELETE FROM subject_keys WHERE subject LIKE 'retention-%'").run());
};

describe("the lost file of all keys", () => {
  it("is shown by the readiness of a start before any text is read", async () => {
    const { data, instance } = await withLostKeys(loseFile);
    expect(await readinessOf(instance, data)).toMatchObject({
      status: 200,
      body: { parts: { "personal-data": "key-missing" } },
    });
  });
});

describe.each([
  ["the file of all keys", loseFile, ["first.com"]],
  ["the keys of documents", loseDocumentKeys, ["first.com"]],
  ["the keys of documents, of which only receipts were archived", loseDocumentKeys, []],
])("where %s was lost", (_what, lose, orders) => {
  it("orders continue, no second key is created, and documents wait for the keys", async () => {
    const { data, instance, key, accountId, archived, putBack } = await withLostKeys(lose, orders);
    expect(await request(instance, key, "/domains", { domain: "second.com" })).toMatchObject({ status: 201 });
    const documents = await documentsOf(instance, key);
    expect(documents).toHaveLength(archived.size + 1);
    for (const { id } of documents) expect(await download(instance, key, id)).toBe("temporarily_unavailable");
    expect(
      documentKeysIn(data).filter((subject) => subject.startsWith(`retention-${String(accountId)}-`)),
    ).toEqual([]);
    await expect
      .poll(() => readinessOf(instance, data), poll)
      .toMatchObject({ body: { parts: { "personal-data": "key-missing" } } });
    const { support } = staffOf(instance, data);
    await expect
      .poll(
        async () => (await support.listAllTickets({})).tickets.map(({ ticket }) => ticket?.title).join("\n"),
        poll,
      )
      .toMatch(/keys? of personal data .*(?:is|are) missing/u);

    putBack();
    for (const [id, bytes] of archived)
      await expect.poll(() => download(instance, key, id), poll).toEqual(bytes);
    // Restarted, because a process remembers names that it could not read.
    await instance.close();
    const again = await start(data);
    for (const { id } of documents)
      await expect.poll(() => download(again, key, id), poll).toBeInstanceOf(Buffer);
    await expect
      .poll(() => readinessOf(again, data), poll)
      .toMatchObject({ body: { parts: { "personal-data": "available" } } });
  });
});
