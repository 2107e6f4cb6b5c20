import { bundledEntry, encodeEntry, generateSigner, type LogEvent } from "../log/index.ts";
import { describe, expect, it } from "vitest";
import { findingLine, passedOverLines, reconcile, verifyLog } from "./index.ts";
import { noteOf, ownMetadata, rightLog, time } from "./right-log.fixture.ts";

const signer = generateSigner("hostledger/test");
const log = rightLog(2);
const shown = new Map([[7, 0n]]);

function verified(events: readonly LogEvent[]) {
  return verifyLog({
    note: noteOf(events, signer),
    verifierKeys: [signer.verifierKey],
    earlierNotes: [],
    tile: undefined,
    async *entries(first, end) {
      const part = events.slice(first, end);
      yield await Promise.resolve(
        part.map((event) => ({ bundled: bundledEntry(encodeEntry(event)), event, problem: undefined })),
      );
    },
    shownBalances: () => Promise.resolve(shown),
  });
}

function eventIn(stream: string, type: string, data: object, metadata = ownMetadata): LogEvent {
  const revision = BigInt(log.filter((event) => event.stream === stream).length);
  return { stream, revision, id: crypto.randomUUID(), type, time, data: JSON.stringify(data), metadata };
}

const note = eventIn("account-7", "CrmNoteTaken", { note: "likes tea" }, "{}");
const credit = {
  reference: "R",
  amountCents: "500",
  balanceAfterCents: "500",
  creditedAt: time,
};
const damaged = eventIn("account-7", "BalanceCredited.v1", credit, "{}");
const mending = eventIn("mending-account-7", "StreamMended.v1", {
  stream: "account-7",
  revision: Number(damaged.revision),
  eventId: damaged.id,
  eventType: damaged.type,
  reason: "A script wrote it.",
  mendedAt: time,
});

function dataOf({ data }: LogEvent): object {
  const value: unknown = JSON.parse(data);
  if (typeof value !== "object" || value === null) throw new Error("an event's data is an object");
  return value;
}

const answerTo = ({ stream, revision, id: eventId, type: eventType }: LogEvent) => ({
  stream,
  revision: Number(revision),
  eventId,
  eventType,
});

it("passes over a foreign event, and names it", async () => {
  const times = eventIn("transfer-times", "OriginalTimes.v1", { times: [] }, "{}");
  const { findings, passedOver } = await verified([...log, note, times]);
  expect(findings).toEqual([]);
  expect(passedOverLines(passedOver)).toEqual([
    `1 foreign event passed over: account-7@${String(note.revision)} (CrmNoteTaken).`,
  ]);
  expect(reconcile([...log, note, times], shown)).toMatchObject({ differences: [], passedOver });
});

it("names a damaged event, and continues with the others", async () => {
  const place = `account-7@${String(damaged.revision)} (BalanceCredited.v1)`;
  const { findings, totals } = await verified([...log, damaged]);
  expect(findings.map(findingLine)).toEqual([
    `decoding: event ${String(log.length)} ${place}: event metadata: commandId is missing`,
  ]);
  expect(totals.creditedCents).toBe((await verified(log)).totals.creditedCents);
  expect(reconcile([...log, damaged], shown)).toMatchObject({
    differenceCount: 1,
    differences: [{ sides: "books-events", event: place }],
  });
});

it("passes over a damaged event that staff had passed over, and names it with their reason", async () => {
  const { findings, passedOver } = await verified([...log, damaged, mending]);
  expect(findings).toEqual([]);
  expect(passedOverLines(passedOver)).toEqual([
    `Passed over by the staff: account-7@${String(damaged.revision)} (BalanceCredited.v1): A script wrote it.`,
  ]);
  expect(reconcile([...log, damaged, mending], shown)).toMatchObject({ differenceCount: 0, passedOver });
});

it("ignores an answer about an event of another stream", async () => {
  const moved = { ...damaged, stream: "account-8", revision: 0n };
  const { findings } = await verified([...log, moved, mending]);
  expect(findings.map(({ check }) => check)).toEqual(["decoding"]);
});

it.each([
  ["of other software", { ...mending, metadata: "{}" }],
  ["in another stream", { ...mending, stream: "account-7", revision: damaged.revision + 1n }],
  ["about another stream", { ...mending, stream: "mending-account-8" }],
])("ignores an answer %s", async (_what, forged) => {
  const { findings } = await verified([...log, damaged, forged]);
  expect(findings.map(findingLine)).toContainEqual(
    expect.stringContaining(`account-7@${String(damaged.revision)} (BalanceCredited.v1)`),
  );
  expect(reconcile([...log, damaged, forged], shown).differenceCount).toBeGreaterThan(0);
});

describe("an event that contradicts its stream", () => {
  const opening = log.find(({ stream, type }) => stream === "account-7" && type.startsWith("AccountOpened"));
  const charge = log.find(({ type }) => type.startsWith("BalanceCharged"));
  if (opening === undefined || charge === undefined) throw new Error("the log has an account that paid");

  it.each([
    ["an account that is opened twice", opening],
    ["a charge that was made already", charge],
  ])("is no finding once staff had it passed over: %s", async (_what, first) => {
    const again = eventIn(first.stream, first.type, dataOf(first));
    const answer = { ...mending, data: JSON.stringify({ ...dataOf(mending), ...answerTo(again) }) };
    const { findings, passedOver, balances } = await verified([...log, again, answer]);
    expect(findings).toEqual([]);
    expect(balances).toEqual((await verified(log)).balances);
    expect(passedOverLines(passedOver)).toEqual([
      `Passed over by the staff: ${first.stream}@${String(again.revision)} (${first.type}): A script wrote it.`,
    ]);
    expect(reconcile([...log, again, answer], shown)).toMatchObject({ differenceCount: 0, passedOver });
  });

  it("counts if it can follow after all: an older version could not read it", async () => {
    const newer = eventIn("account-7", "BalanceCredited.v1", credit);
    const answer = { ...mending, data: JSON.stringify({ ...dataOf(mending), ...answerTo(newer) }) };
    const [counted, without] = [await verified([...log, newer, answer]), await verified(log)];
    expect(counted.totals.creditedCents).toBe(without.totals.creditedCents + 500n);
  });
});
