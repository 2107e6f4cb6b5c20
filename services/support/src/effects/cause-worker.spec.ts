import { UnreadableEventError } from "@hostledger/core";
import { SubjectKeyMissingError } from "@hostledger/store/personal-data";
import { manualClock, realTiming, silentLogger, type Timing } from "@hostledger/runtime";
import { describe, expect, it } from "vitest";

import type { CauseRow, EndedCauseRow } from "../reads/support.queries.ts";
import { createCauseWorker } from "./cause-worker.ts";

/** An account whose key of personal data is missing. */
const withoutKey = 404;

function rowAt(position: number, change: Partial<CauseRow> = {}): CauseRow {
  const cause = `zone-${String(position)}`;
  const text = { title: "The DNS zone", message: "Missing.", priority: "emergency" };
  return {
    cause,
    account_id: 7,
    run: null,
    run_account_id: null,
    resumed_revision: null,
    ...text,
    log_position: position,
    ...change,
  };
}

/** The ticket that its customer has closed. */
const closedTicket = 400;

/** A worker over these rows and zones, and the causes that it opened tickets for, in order. */
function workerOver(
  rows: readonly CauseRow[],
  refuse: (cause: string) => boolean | Error = () => false,
  zones: readonly EndedCauseRow[] = [],
  clock: Timing = realTiming,
) {
  const refusalOf = (cause: string): Error | undefined => {
    const refused = refuse(cause);
    return refused === true ? new Error("the connection broke") : refused || undefined;
  };
  const commented: number[] = [];
  const opened: string[] = [];
  const accounts: (number | null)[] = [];
  const worker = createCauseWorker({
    queries: {
      causesAfter: (position, limit) =>
        Promise.resolve(rows.filter(({ log_position: at }) => at > position).slice(0, limit)),
      endedCausesAfter: ({ log_position: position, cause: last }, limit) =>
        Promise.resolve(
          zones
            .filter(({ log_position: at, cause }) => at > position || (at === position && cause > last))
            .slice(0, limit),
        ),
    },
    desk: {
      open({ cause, accountId }) {
        if (accountId === withoutKey) return Promise.reject(new SubjectKeyMissingError("account-404"));
        const refusal = refusalOf(cause);
        if (refusal !== undefined) return Promise.reject(refusal);
        accounts.push(accountId);
        opened.push(cause);
        return Promise.resolve({ ticketId: opened.length, position: undefined });
      },
      reply({ ticketId, replyId }) {
        if (ticketId === withoutKey) return Promise.reject(new SubjectKeyMissingError("account-404"));
        const refusal = refusalOf(replyId);
        if (refusal !== undefined) return Promise.reject(refusal);
        if (ticketId === closedTicket) return Promise.resolve({ accepted: false });
        commented.push(ticketId);
        return Promise.resolve({ accepted: true });
      },
      close: () => Promise.resolve({ accepted: true }),
    },
    logger: silentLogger(),
    clock,
  });
  return { worker, opened, accounts, commented };
}

describe("one round of the worker", () => {
  it("leaves a ticket whose events cannot be read, opens the others, and comes back after a while", async () => {
    const place = { stream: "ticket-1", revision: 0n, position: 9n, id: "e-1", type: "TicketOpened.v1" };
    let isDamaged = true;
    const clock = manualClock("2026-03-01T10:00:00.000000Z");
    const damaged = (cause: string) =>
      isDamaged && cause === "zone-1" && new UnreadableEventError(place, "damaged", "the data is not JSON");
    const { worker, opened } = workerOver([rowAt(1), rowAt(2)], damaged, [], clock);
    await worker.openDue();
    expect(opened).toEqual(["zone-2"]);
    isDamaged = false;
    await worker.openDue();
    expect(opened).toEqual(["zone-2"]);
    clock.advance(60_000);
    await worker.openDue();
    expect(opened).toEqual(["zone-2", "zone-1", "zone-2"]);
  });

  it("opens each event once, also if the events stay and exceed a round", async () => {
    const rows = Array.from({ length: 2_500 }, (_, position) => rowAt(position));
    const { worker, opened } = workerOver(rows);
    const rounds = [];
    for (let round = 0; round < 4; round += 1) rounds.push(await worker.openDue());
    expect(rounds).toEqual([1_000, 1_000, 500, 0]);
    expect(opened).toEqual(rows.map(({ cause }) => cause));
  });

  it("opens an event again that came again", async () => {
    const rows = [rowAt(1)];
    const { worker, opened } = workerOver(rows);
    await worker.openDue();
    rows[0] = rowAt(9, { cause: "zone-1" });
    await worker.openDue();
    expect(opened).toEqual(["zone-1", "zone-1"]);
  });

  it("leaves nothing out when it fails in between", async () => {
    let failures = 1;
    const { worker, opened } = workerOver([rowAt(1), rowAt(2), rowAt(3)], (cause) => {
      if (cause !== "zone-2" || failures === 0) return false;
      failures -= 1;
      return true;
    });
    await expect(worker.openDue()).rejects.toThrow("the connection broke");
    expect(await worker.openDue()).toBe(2);
    expect(opened).toEqual(["zone-1", "zone-2", "zone-3"]);
  });

  it("continues behind an event whose run does not name an account", async () => {
    const { worker, opened } = workerOver([rowAt(1, { account_id: null, run: "renewal-1" }), rowAt(2)]);
    await worker.openDue();
    expect(opened).toEqual(["zone-2"]);
  });

  it("uses the account of the run if the event has none", async () => {
    const { worker, opened } = workerOver([
      rowAt(1, { account_id: null, run: "renewal-1", run_account_id: 7 }),
    ]);
    await worker.openDue();
    expect(opened).toEqual(["zone-1"]);
  });

  it("opens a staff ticket if the customer cannot get one, and continues", async () => {
    const { worker, accounts } = workerOver([rowAt(1, { account_id: withoutKey }), rowAt(2)]);
    await worker.openDue();
    expect(accounts).toEqual([null, 7]);
  });

  it("opens a staff ticket for causes without an account", async () => {
    const { worker, opened } = workerOver([rowAt(1, { account_id: null })]);
    await worker.openDue();
    expect(opened).toEqual(["zone-1"]);
  });

  it("comments on each created zone, past tickets that accept no comment", async () => {
    let failures = 1;
    const ticketIds = [1, closedTicket, withoutKey, 2, 3];
    const zones = ticketIds.map((id, at) => ({
      cause: `zone-${String(id)}`,
      ticket_id: id,
      log_position: at,
    }));
    const refuse = (cause: string) => cause === "zone-2" && (failures -= 1) === 0;
    const { worker, commented } = workerOver([], refuse, zones);
    await expect(worker.commentDue()).rejects.toThrow("the connection broke");
    expect(await worker.commentDue()).toBe(2);
    expect(await worker.commentDue()).toBe(0);
    expect(commented).toEqual([1, 2, 3]);
  });

  it("comments on each of several causes that one event ended, also after a failure in between", async () => {
    let failures = 1;
    const ended = [1, 2, 3].map((id) => ({
      cause: `difference-${String(id)}`,
      ticket_id: id,
      log_position: 5,
    }));
    const refuse = (cause: string) => cause === "difference-2" && (failures -= 1) === 0;
    const { worker, commented } = workerOver([], refuse, ended);
    await expect(worker.commentDue()).rejects.toThrow("the connection broke");
    expect(await worker.commentDue()).toBe(2);
    expect(await worker.commentDue()).toBe(0);
    expect(commented).toEqual([1, 2, 3]);
  });
});
