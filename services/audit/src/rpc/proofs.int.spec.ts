import { accountExamples } from "@hostledger/core/testing";
import { refusalOf } from "@hostledger/rpc/testing";
import {
  bundledEntry,
  encodeEntry,
  leafHash,
  verifyConsistency,
  verifyInclusion,
} from "@hostledger/audit/log";
import { describe, expect, it } from "vitest";

import { openAudit } from "../audit-service.fixture.ts";

const { opened, credited, charged } = accountExamples;
const nowhere = "00000000-0000-4000-8000-000000000000";

describe("a proof", () => {
  it("is refused in one sentence if there is nothing to prove", async () => {
    const { audits, record } = await openAudit();
    await record("account-7", opened(), ...credited());
    const inclusions = [
      [{ leaf: { case: "index", value: 3n } }, "not-found", "The log has no event 3: it has 3."],
      [
        { leaf: { case: "index", value: -1n } },
        "validation-failed",
        "index must be 0 or more, and below 2^53.",
      ],
      [
        { leaf: { case: "eventId", value: nowhere }, stream: "account-7" },
        "not-found",
        "There is no such event in this stream.",
      ],
      [
        { leaf: { case: "eventId", value: nowhere } },
        "validation-failed",
        "stream must be 1 to 500 characters long.",
      ],
      [
        { leaf: { case: "eventId", value: "x" }, stream: "account-7" },
        "validation-failed",
        "An event's id is a UUID in lower case.",
      ],
      [
        { leaf: { case: "documentNumber", value: "2026-7-000009" } },
        "not-found",
        "There is no document 2026-7-000009.",
      ],
      [
        { leaf: { case: "documentNumber", value: "" } },
        "validation-failed",
        "documentNumber must be 1 to 64 characters long.",
      ],
      [{}, "validation-failed", "Name the leaf by its index, its event or its document."],
      [
        { leaf: { case: "index", value: 2n }, treeSize: 2n },
        "validation-failed",
        "The event is number 2: a log of 2 does not have it.",
      ],
      [
        { leaf: { case: "index", value: 2n }, treeSize: 4n },
        "validation-failed",
        "The last checkpoint is of 3 events: there is no proof about more yet.",
      ],
    ] as const;
    for (const [request, code, message] of inclusions)
      expect(await refusalOf(audits().getInclusionProof(request))).toMatchObject({ code, message });
    const consistencies = [
      [{ firstSize: 0n }, "The first size must be 1 to the second one, which is 3."],
      [{ firstSize: 3n, secondSize: 2n }, "The first size must be 1 to the second one, which is 2."],
      [
        { firstSize: 1n, secondSize: 4n },
        "The last checkpoint is of 3 events: there is no proof about more yet.",
      ],
      [{ firstSize: -1n }, "firstSize must be 0 or more, and below 2^53."],
    ] as const;
    for (const [request, message] of consistencies)
      expect(await refusalOf(audits().getConsistencyProof(request))).toMatchObject({
        code: "validation-failed",
        message,
      });
  });

  it("is had of a document in the moment after it was issued", async () => {
    const { append, audits, log, record } = await openAudit();
    await record("account-7", opened(), ...credited());
    const ids = await append("account-7", ...charged());
    await log.caughtUp();
    const leaf = { case: "documentNumber", value: "2026-7-000001" } as const;
    expect((await audits().getInclusionProof({ leaf })).event?.id).toBe(ids.at(-1));
  });

  it("shows that an event is in the log, named by its index, its id or its document", async () => {
    const { audits, record, store } = await openAudit();
    await record("account-7", opened(), ...credited(), ...charged());
    let eventId = "";
    for await (const { id } of store.read("account-7", { from: 4n, limit: 1 })) eventId = id;
    for (const request of [
      { leaf: { case: "index", value: 4n } },
      { leaf: { case: "eventId", value: eventId }, stream: "account-7" },
      { leaf: { case: "documentNumber", value: "2026-7-000001" } },
    ] as const) {
      const proof = await audits().getInclusionProof(request);
      expect(proof).toMatchObject({ index: 4n, treeSize: 5n, event: { id: eventId } });
      const claim = {
        index: 4,
        size: 5,
        leafHash: proof.leafHash,
        proof: proof.hashes,
        root: proof.rootHash,
      };
      expect(verifyInclusion(claim)).toBe(true);
      expect(verifyInclusion({ ...claim, index: 3 })).toBe(false);
    }
    // A proof covers sealed data as stored: the leaf is computed from the shown event.
    const { event, leafHash: hash } = await audits().getInclusionProof({
      leaf: { case: "index", value: 0n },
      treeSize: 3n,
    });
    if (event === undefined) throw new Error("the proof tells no event");
    expect(event.data).toContain('"sealed:v2:');
    expect(Buffer.from(leafHash(bundledEntry(encodeEntry(event)))).equals(hash)).toBe(true);
  });

  it("shows that one log continues another", async () => {
    const { audits, record } = await openAudit();
    await record("account-7", opened(), ...credited(), ...charged());
    const proof = await audits().getConsistencyProof({ firstSize: 3n });
    expect(proof).toMatchObject({ firstSize: 3n, secondSize: 5n });
    const claim = {
      first: 3,
      second: 5,
      proof: proof.hashes,
      firstRoot: proof.firstRootHash,
      secondRoot: proof.secondRootHash,
    };
    expect(verifyConsistency(claim)).toBe(true);
    expect(verifyConsistency({ ...claim, firstRoot: proof.secondRootHash })).toBe(false);
  });

  it("signs a bundle within a signed checkpoint, and nothing else", async () => {
    const { audits, record } = await openAudit();
    await record("account-7", opened(), ...credited());
    const manifestSha256 = new Uint8Array(32).fill(7);
    expect(await audits().signBundle({ size: 3n, manifestSha256 })).toMatchObject({
      note: `3 ${"07".repeat(32)}`,
    });
    for (const [request, message] of [
      [{ size: 4n, manifestSha256 }, "The last checkpoint is of 3 events"],
      [{ size: 3n, manifestSha256: new Uint8Array(31) }, "A manifest's SHA-256 has 32 bytes."],
    ] as const)
      expect((await refusalOf(audits().signBundle(request))).message).toContain(message);
  });
});
