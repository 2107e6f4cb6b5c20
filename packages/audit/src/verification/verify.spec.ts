import { bundledEntry, encodeEntry, generateSigner, type LogEvent } from "../log/index.ts";
import { describe, expect, it } from "vitest";
import { findingLine, verifyLog, type LogSource } from "./index.ts";
import { noteOf, rightEvents, rightLog, serverRenewalBegun, teamLog } from "./right-log.fixture.ts";

const signer = generateSigner("hostledger/test");
const log = rightLog(5);

function sourceOf(events: readonly LogEvent[], shown?: ReadonlyMap<number, bigint>): LogSource {
  return {
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
    shownBalances: shown === undefined ? undefined : () => Promise.resolve(shown),
  };
}

const verdict = async (events: readonly LogEvent[], shown?: ReadonlyMap<number, bigint>) =>
  (await verifyLog(sourceOf(events, shown))).findings.map(findingLine);

/** Returns the signed log with a replacement in the data of events of a type. */
const reported = (type: string, from: string, to: string) =>
  log.map((event) =>
    event.type.startsWith(type) ? { ...event, data: event.data.replace(from, to) } : event,
  );

/** Returns the log without some events, with adjusted revisions. */
function without(drop: (event: LogEvent) => boolean): readonly LogEvent[] {
  const revisions = new Map<string, bigint>();
  return log
    .filter((event) => !drop(event))
    .map((event) => {
      const revision = revisions.get(event.stream) ?? 0n;
      revisions.set(event.stream, revision + 1n);
      return { ...event, revision };
    });
}

describe("what a properly signed log tells", () => {
  it("is right, and summed", async () => {
    const verification = await verifyLog(sourceOf(log, new Map([[7, 1_000n]])));
    expect(verification).toMatchObject({ findings: [], runs: { started: 5, ended: 5, unfinished: 0 } });
    expect(verification.totals).toEqual({
      creditedCents: 5_000n,
      adjustedCents: 0n,
      paidOutCents: 0n,
      chargedCents: 5_000n,
      refundedCents: 1_000n,
      receiptedCents: 5_000n,
      invoicedCents: 5_000n,
      correctedCents: -1_000n,
    });
  });

  it("accepts partial refunds, and finds refunds above the charge", async () => {
    const granted = (grantedCents: number) => [...rightEvents({ registrations: 2, grantedCents })];
    expect(await verdict(granted(400), new Map([[7, 800n]]))).toEqual([]);
    const said = (await verdict(granted(1_001))).join("\n");
    expect(said).toMatch(
      /^streams: .* corrupt stream: RefundGranted cannot follow the state "more than is left of the charge"/mu,
    );
    const byTheOrder = granted(400).map((event) => ({
      ...event,
      type: event.type.replace("RefundGranted", "ChargeRefunded"),
    }));
    expect((await verdict(byTheOrder)).join("\n")).toMatch(
      /^deliveries: .* is delivered, and was refunded$/mu,
    );
  });

  it("is no finding while a run is under way", async () => {
    const events = without(
      ({ stream, type }) => stream === "registration-4" && type.startsWith("RegistrationCompleted"),
    );
    const open = events.filter(({ stream }) => stream !== "domain-name-4.com");
    const verification = await verifyLog(sourceOf(open));
    expect(verification).toMatchObject({ findings: [], runs: { unfinished: 1 } });
  });

  it("has no finding about a renewal that began and whose run has stored only its charge yet", async () => {
    const isOfRun = ({ stream }: LogEvent): boolean =>
      stream === "registration-4" || stream === "domain-name-4.com";
    expect(await verdict([serverRenewalBegun(4), ...without(isOfRun)])).toEqual([]);
  });

  it("accepts a team's charges of two accounts under one name, and finds two charges of one account", async () => {
    expect(await verdict(teamLog(2))).toEqual([]);
    expect(await verdict(teamLog(1))).toContainEqual(
      expect.stringMatching(/^charges: .* charges service:shop\/november a second time$/u),
    );
  });

  it.each([
    [
      "a balance",
      reported("BalanceCharged", '"4000"', '"4001"'),
      /^streams: event 4 account-7@3 .* "a balance of 5000 cents"; the 11 events behind it in account-7 do not count$/u,
    ],
    [
      "a refund above its charge",
      reported("RegistrationRefunded", '"grossCents":"1000"', '"grossCents":"1001"'),
      /^streams: event \d+ account-7@\d+ .* "more than is left of the charge"/u,
    ],
    [
      "a refund of no charge",
      reported("RegistrationRefunded", "registration-5", "registration-9"),
      /^streams: event \d+ account-7@\d+ .* "no such charge"/u,
    ],
    [
      "an invoice's number",
      reported("InvoiceIssued", "000003", "000004"),
      /^documents: .* the next of its series is 2026-7-000003$/u,
    ],
    [
      "an invoice's amount",
      reported("InvoiceIssued", '"grossCents":"1000"', '"grossCents":"999"'),
      /^charges: .* charged were 1000$/u,
    ],
    [
      "data of another shape",
      reported("DomainRegistered", '"domainId":2', '"domainId":"2"'),
      /^decoding: .*domain-name-2\.com@0/u,
    ],
    [
      "a missing invoice",
      without(({ data }) => data.includes('"number":"2026-7-000002"')),
      /^charges: .* is a charge without an invoice$/u,
    ],
    [
      "a missing charge",
      without(({ type, data }) => type.startsWith("BalanceCharged") && data.includes("registration-2")),
      /^deliveries: .* which was never charged$/u,
    ],
    [
      "a missing delivery",
      without(({ stream }) => stream === "domain-name-2.com"),
      /^deliveries: .* neither delivered nor refunded$/u,
    ],
    [
      "a missing order",
      without(({ type, stream }) => type.startsWith("RegistrationStarted") && stream === "registration-1"),
      /^deliveries: .* is charged without an order$/u,
    ],
    [
      "a gap",
      log
        .filter(({ stream }) => stream !== "registration-3")
        .concat(
          log.filter(
            ({ stream, type }) => stream === "registration-3" && type.startsWith("RegistrationCompleted"),
          ),
        ),
      /^revisions: .* would be 0$/u,
    ],
  ])("names %s that is wrong", async (_name, events, finding) => {
    expect(await verdict(events)).toContainEqual(expect.stringMatching(finding));
  });

  it("never goes below zero", async () => {
    const poor = reported("BalanceCredited", '"amountCents":"5000"', '"amountCents":"1000"');
    expect(await verdict(poor)).toContainEqual(
      expect.stringMatching(/^streams: event 1 account-7@1 .* "a balance of 0 cents"/u),
    );
  });

  it.each([
    [true, []],
    [false, [expect.stringMatching(/^streams: .* "a balance below zero"$/u)]],
  ])("accepts a balance below zero if staff allowed a debt: %j", async (debtAllowed, expected) => {
    const [opened] = log.filter(({ stream }) => stream === "account-7");
    if (opened === undefined) throw new Error("the right log has no account");
    const adjustment = { kind: "debit", reference: "R", reason: "T", adjustedAt: opened.time, debtAllowed };
    const debit = {
      ...opened,
      id: "0195b2c8-5f1e-7c3a-9d42-6b8f0e4a1c77",
      revision: BigInt(log.filter(({ stream }) => stream === "account-7").length),
      type: "BalanceAdjusted.v2",
      data: JSON.stringify({ ...adjustment, amountCents: "-1001", balanceAfterCents: "-1" }),
    };
    expect(await verdict([...log, debit])).toEqual(expected);
  });

  it("is compared with the read model, including accounts in only one of them", async () => {
    expect(
      await verdict(
        log,
        new Map([
          [7, 999n],
          [8, 0n],
        ]),
      ),
    ).toEqual([
      "read-model: account 7 has 1000 cents by the events, the read model shows 999 cents",
      "read-model: account 8 has no account by the events, the read model shows 0 cents",
    ]);
  });

  it("lists 1,000 findings and counts the others", async () => {
    const events = rightLog(600).map((event) => ({ ...event, type: "Unknown.v1" }));
    const streams = new Set(events.map(({ stream }) => stream));
    const { findings, findingCount } = await verifyLog(sourceOf(events));
    expect([findings.length, findingCount]).toEqual([1_000, streams.size]);
  });
});
