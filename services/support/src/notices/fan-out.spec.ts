import { manualClock } from "@hostledger/runtime";
import { afterThisTurn } from "@hostledger/runtime/async";
import { expect, it } from "vitest";

import { beforeNotices, type NoticeRow } from "../reads/notice.queries.ts";
import { createFanOut } from "./fan-out.ts";
import type { LookedThrough, NoticeProgress } from "./notice-progress.ts";

const notice = (position: number): NoticeRow => ({
  notice_id: `notice-${String(position)}`,
  kind: "domain.registered",
  account_id: 1,
  resource: "domain-1",
  data: "{}",
  noticed_at: "2026-03-01T10:00:00.000000Z",
  position,
});

/** Progress as a database keeps it. */
function progressInMemory(): NoticeProgress & { readonly saved: LookedThrough[] } {
  const saved: LookedThrough[] = [];
  return {
    saved,
    load: () => Promise.resolve(saved.at(-1)),
    save: (reached) => Promise.resolve(void saved.push(reached)),
  };
}

/** The notices of a store that has so many. @param looked where each look began */
function fanOutOver(
  count: number,
  progress: NoticeProgress = progressInMemory(),
  looked: number[] = [],
  {
    isMailSent = false,
    queries = {},
    add = () => undefined,
  }: {
    readonly isMailSent?: boolean;
    readonly queries?: Partial<Parameters<typeof createFanOut>[0]["queries"]>;
    readonly add?: (wanted: readonly { readonly target: string; readonly kind: string }[]) => void;
  } = {},
) {
  const none = () => Promise.resolve([]);
  return createFanOut({
    progress,
    queries: {
      positionBefore: () => Promise.resolve(0),
      lastPlace: () => Promise.resolve(count === 0 ? beforeNotices : notice(count)),
      hasPlace: ({ position }) => Promise.resolve(position <= count),
      noticesAfter: (position, limit) => {
        looked.push(position);
        return Promise.resolve(
          Array.from({ length: Math.min(limit, count - position) }, (_, at) => notice(position + at + 1)),
        );
      },
      webhooksOf: none,
      mailboxesOf: none,
      expiring: none,
      serverTerms: none,
      ...queries,
    },
    deliveries: {
      add(wanted) {
        add(wanted);
        return Promise.resolve(0);
      },
      lastAddedAt: () => Promise.resolve(undefined),
    },
    nextId: () => Promise.resolve(1),
    clock: manualClock("2026-03-02T10:00:00.000000Z"),
    terminationDays: 14,
    isMailSent,
  });
}

it.each([
  ["one mail to those who get all", null, ["invoice.issued"]],
  ["one mail to those who chose both", ["topup.settled", "invoice.issued"], ["invoice.issued"]],
  ["one mail to those who chose no receipts", ["topup.settled"], ["topup.settled"]],
  ["one mail to those who chose receipts", ["invoice.issued"], ["invoice.issued"]],
])("a settled payment and its receipt bring %s, and each to a webhook", async (_whom, chosen, mailed) => {
  const kinds = chosen === null ? null : JSON.stringify(chosen);
  const subscriber = { account_id: 1, kinds, created_at: "", created_position: 0 };
  const added: { readonly target: string; readonly kind: string }[] = [];
  const fanOut = fanOutOver(0, progressInMemory(), [], {
    isMailSent: true,
    queries: {
      lastPlace: () => Promise.resolve(beforeNotices),
      noticesAfter: () =>
        Promise.resolve(["topup.settled", "invoice.issued"].map((kind, at) => ({ ...notice(at + 1), kind }))),
      webhooksOf: () => Promise.resolve([{ ...subscriber, id: 5, kinds: null }]),
      mailboxesOf: () => Promise.resolve([subscriber]),
    },
    add: (wanted) => added.push(...wanted),
  });
  await fanOut.round();
  const kindsOf = (channel: string) =>
    added.filter(({ target }) => target.startsWith(channel)).map(({ kind }) => kind);
  expect(kindsOf("mail")).toEqual(mailed);
  expect(kindsOf("webhook")).toEqual(["topup.settled", "invoice.issued"]);
});

// A start with a million notices of a week answered nobody for three seconds.
it("yields to other work between the notices of a long past", async () => {
  const fanOut = fanOutOver(1_000);
  for (let round = 0; round < 5; round += 1) {
    let hasTurned = false;
    afterThisTurn(() => {
      hasTurned = true;
    });
    expect([await fanOut.round(), hasTurned]).toEqual([true, true]);
  }
  expect(await fanOut.round()).toBe(false);
});

// A start looked through the notices of a week again: 3 s with a million of them, 49 s with ten.
it("continues where the last start ended", async () => {
  const progress = progressInMemory();
  const first = fanOutOver(1_000, progress);
  while (await first.round());
  const looked: number[] = [];
  await fanOutOver(1_001, progress, looked).round();
  await fanOutOver(1_001, progress, looked).round();
  expect(looked).toEqual([1_000, 1_001]);
});

it("continues within a long past where it was interrupted", async () => {
  const progress = progressInMemory();
  await fanOutOver(1_000, progress).round();
  const looked: number[] = [];
  await fanOutOver(1_000, progress, looked).round();
  expect(looked).toEqual([200]);
});

it("stores its progress once, not with every check", async () => {
  const progress = progressInMemory();
  const fanOut = fanOutOver(10, progress);
  await fanOut.round();
  await fanOut.round();
  expect(progress.saved.map(({ position }) => position)).toEqual([10]);
});

it.each([
  ["another log has taken the place of the one it looked through", { position: 5_000 }],
  ["notices are made of other events than then", { version: 1 }],
])("reads some days again if %s", async (_, change) => {
  const progress = progressInMemory();
  await fanOutOver(1_000, progress).round();
  const [saved] = progress.saved;
  if (saved !== undefined) await progress.save({ ...saved, ...change });
  const looked: number[] = [];
  await fanOutOver(1_000, progress, looked).round();
  expect(looked).toEqual([0]);
});
