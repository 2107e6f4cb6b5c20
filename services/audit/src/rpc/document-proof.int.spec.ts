import { createClient } from "@connectrpc/connect";
import { accountExamples } from "@hostledger/core/testing";
import type { HostingEvent } from "@hostledger/core";
import { audit } from "@hostledger/protocol";
import type { Caller } from "@hostledger/rpc";
import { refusalOf, specCallers } from "@hostledger/rpc/testing";
import { decodeEntry, leafHash, verifyInclusion } from "@hostledger/audit/log";
import { describe, expect, it } from "vitest";

import { type AuditFixture, openAudit } from "../audit-service.fixture.ts";
import { NotYetLoggedError } from "../log/log-error.ts";

const customer = { kind: "account", accountId: 7, keyId: 1 } as const;

const archived: HostingEvent = {
  type: "DocumentArchived",
  data: {
    documentId: 42,
    accountId: 7,
    number: "2026-7-000001",
    files: [{ format: "pdf", bytes: 40_000, sha256: "ab".repeat(32) }],
    salt: "cd".repeat(32),
    keptUntilYear: 2034,
    isRenderedLater: false,
    archivedAt: "2026-03-01T10:00:00.000000Z",
  },
};

function proofs({ service }: AuditFixture, caller: Caller = customer) {
  return createClient(audit.DocumentProofService, specCallers().transportTo(service, caller));
}

describe("the proof of a document", () => {
  it("leads from its event, as stored, to the root", async () => {
    const fixture = await openAudit();
    await fixture.record("account-7", accountExamples.opened());
    await fixture.record("document-42", archived);
    const answer = await proofs(fixture).getDocumentProof({ invoiceId: 42n });
    const { entry, index, hashes, checkpoint, verifierKeys } = answer;
    expect({ index, checkpoint, verifierKeys }).toEqual({
      index: 1n,
      checkpoint: "spec\n2\n",
      verifierKeys: ["hostledger/spec+00000001+key"],
    });
    expect(decodeEntry(entry)).toMatchObject({ stream: "document-42", revision: 0n });
    // The salt stays sealed in the event.
    expect(decodeEntry(entry).data).toContain('"salt":"sealed:v2:retention-7-2034:');
    const first = await fixture.log.readTile(0, 0, 2);
    expect(Buffer.from(leafHash(entry)).equals(first.subarray(32))).toBe(true);
    expect(hashes.map((hash) => Buffer.from(hash).equals(first.subarray(0, 32)))).toEqual([true]);
    expect(
      verifyInclusion({ index: 1, size: 2, leafHash: leafHash(entry), proof: hashes, root: entry }),
    ).toBe(false);
  });

  it("is refused to others, and for documents that are not archived", async () => {
    const fixture = await openAudit();
    await fixture.record("document-42", archived);
    const ask = (caller: Caller, invoiceId: bigint) =>
      refusalOf(proofs(fixture, caller).getDocumentProof({ invoiceId }));
    expect(await ask({ ...customer, accountId: 8 }, 42n)).toMatchObject({ code: "unauthorized" });
    expect(await ask({ kind: "service", name: "support" }, 42n)).toMatchObject({ code: "unauthorized" });
    for (const unknown of [43n, 0n, -1n, 2n ** 60n])
      expect(await ask(customer, unknown)).toMatchObject({ code: "not-found" });
  });

  it("is pending until the log has the event, and until a checkpoint covers it", async () => {
    const fixture = await openAudit();
    await fixture.record("document-42", archived);
    const { log } = fixture;
    const { checkpoint, indexOf } = log;
    const ask = () => refusalOf(proofs(fixture).getDocumentProof({ invoiceId: 42n }));
    Object.assign(log, { checkpoint: () => ({ ...checkpoint(), size: 0 }) });
    expect(await ask()).toMatchObject({ code: "proof-pending" });
    Object.assign(log, { checkpoint, indexOf: () => Promise.reject(new NotYetLoggedError("later")) });
    expect(await ask()).toMatchObject({ code: "proof-pending" });
    Object.assign(log, { indexOf });
    expect((await proofs(fixture).getDocumentProof({ invoiceId: 42n })).index).toBe(0n);
  });
});
