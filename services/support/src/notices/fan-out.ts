import {
  addMilliseconds,
  daysAfterHold,
  expiryNoticeDays,
  serverEndsAt,
  serverNoticeDays,
  wholeDaysUntil,
} from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";
import { pagesById, yieldToOthers, type PagesById } from "@hostledger/runtime/async";

import { noticeId } from "../reads/notice-drafts.ts";
import { notices as noticesProjection } from "../reads/notices.projection.ts";
import {
  beforeNotices,
  type ExpiringRow,
  type NoticePlace,
  type NoticeQueries,
  type NoticeRow,
  type ServerTermRow,
} from "../reads/notice.queries.ts";
import type { SubscriberRow } from "../reads/mailbox.queries.ts";
import type { Deliveries, NewDelivery } from "./deliveries.ts";
import type { LookedThrough, NoticeProgress } from "./notice-progress.ts";
import { targetOf } from "./receiver.ts";

const dayMs = 86_400_000;

/**
 * Time before the last delivery from which notices are read again if the progress is unknown, in milliseconds:
 * longer than any retries.
 */
const lookBackMs = 7 * dayMs;

/** Notices, domains or servers of one round. */
const roundLimit = 200;

/** Creates the deliveries of each notice for its receivers, once. */
export interface FanOut {
  /**
   * Creates deliveries of new notices.
   * @returns true if there may be more, so the caller continues after a turn of the event loop
   */
  round(): Promise<boolean>;
  /** Has notices delivered of domains and servers that end soon. @param at an instant up to which the read models show all events */
  expiries(at: string): Promise<void>;
}

export interface FanOutOptions {
  readonly queries: Pick<
    NoticeQueries,
    | "noticesAfter"
    | "positionBefore"
    | "lastPlace"
    | "hasPlace"
    | "webhooksOf"
    | "mailboxesOf"
    | "expiring"
    | "serverTerms"
  >;
  readonly deliveries: Pick<Deliveries, "add" | "lastAddedAt">;
  readonly progress: NoticeProgress;
  readonly nextId: () => Promise<number>;
  readonly clock: Clock;
  /** Days for which a server is kept after it expired. */
  readonly terminationDays: number;
  /** False where no mail server is configured. */
  readonly isMailSent: boolean;
}

/** A receiver of an account's notices, and since when. */
interface Subscriber extends SubscriberRow {
  readonly target: string;
  readonly isMail: boolean;
}

type Wanted = Omit<NewDelivery, "id">;

/**
 * Continues where the last round ended, which is stored after each round. A notice may be read twice; its existing
 * deliveries stay unchanged.
 */
export function createFanOut(options: FanOutOptions): FanOut {
  const { queries, deliveries, progress, nextId, clock, terminationDays } = options;
  let place: NoticePlace | undefined;
  let kept: NoticePlace | undefined;

  async function round(): Promise<boolean> {
    const at = clock.now();
    place ??= await firstPlace(options, at);
    const notices = await queries.noticesAfter(place.position, roundLimit);
    const subscribers = await subscribersOf(options, notices);
    const wanted = notices.flatMap((notice) =>
      (subscribers.get(notice.account_id) ?? [])
        .filter((one) => wants(one, notice.kind) && one.created_position < notice.position)
        .map((one) => delivery(one, notice, at)),
    );
    await deliveries.add(wanted, nextId);
    place = notices.at(-1) ?? place;
    if (place !== kept) await progress.save({ ...place, ...lookedFor(options) });
    kept = place;
    if (notices.length < roundLimit) return false;
    await yieldToOthers();
    return true;
  }

  async function expiries(at: string): Promise<void> {
    const [longest] = expiryNoticeDays;
    const [ofServers] = serverNoticeDays;
    const between = (from: number, to: number) =>
      [addMilliseconds(at, from * dayMs), addMilliseconds(at, to * dayMs)] as const;
    await endings(
      at,
      (...page) => queries.expiring(...between(0, longest), ...page),
      (row) => expiryNotice(row, at),
    );
    await endings(
      at,
      (...page) =>
        queries.serverTerms(...between(-Math.max(terminationDays, daysAfterHold), ofServers), ...page),
      (row) => serverNotice(row, at, terminationDays),
    );
  }

  /**
   * Creates, page by page, deliveries about resources that end soon, for receivers that existed when the notice was
   * due.
   */
  async function endings<Row extends { readonly id: number; readonly account_id: number }>(
    at: string,
    read: PagesById<Row>["read"],
    noticeOf: (row: Row) => Omit<NoticeRow, "position"> | undefined,
  ): Promise<void> {
    for await (const rows of pagesById({ read, idOf: ({ id }) => id, size: roundLimit })) {
      const subscribers = await subscribersOf(options, rows);
      const wanted = rows.flatMap((row) => {
        const notice = noticeOf(row);
        if (notice === undefined) return [];
        return (subscribers.get(row.account_id) ?? [])
          .filter((one) => wants(one, notice.kind) && one.created_at <= notice.noticed_at)
          .map((one) => delivery(one, notice, at));
      });
      await deliveries.add(wanted, nextId);
    }
  }

  return { round, expiries };
}

/** Returns the receivers for which notices are read. */
function lookedFor({
  isMailSent,
}: Pick<FanOutOptions, "isMailSent">): Pick<LookedThrough, "version" | "isForMail"> {
  return { version: noticesProjection.version, isForMail: isMailSent };
}

/**
 * Returns where a start begins: at the stored progress. If it is unknown (first start, another log) or new receivers
 * exist, it is some days before the last delivery, so that a long downtime sends no old notices.
 */
async function firstPlace(options: FanOutOptions, at: string): Promise<NoticePlace> {
  const { queries, deliveries, progress } = options;
  const last = await progress.load();
  const ended = last !== undefined && (await queries.hasPlace(last)) ? last : undefined;
  const { version, isForMail } = lookedFor(options);
  if (ended?.version === version && (ended.isForMail || !isForMail)) return ended;
  // Asked first: a notice that comes in between is behind it.
  const end = await queries.lastPlace();
  const lastAdded = (await deliveries.lastAddedAt()) ?? at;
  const since = addMilliseconds(lastAdded < at ? lastAdded : at, -lookBackMs);
  const position = await queries.positionBefore(since);
  const back = position === undefined ? end : { ...beforeNotices, position };
  return ended !== undefined && ended.position < back.position ? ended : back;
}

/** Returns the receivers of some rows' accounts. */
async function subscribersOf(
  { queries, isMailSent }: Pick<FanOutOptions, "queries" | "isMailSent">,
  rows: readonly Pick<NoticeRow, "account_id">[],
) {
  const ids = [...new Set(rows.map((row) => row.account_id).filter((id) => id !== null))];
  const webhooks = await queries.webhooksOf(ids);
  const mailboxes = isMailSent ? await queries.mailboxesOf(ids) : [];
  const subscribers: Subscriber[] = [
    ...webhooks.map((webhook) => ({ ...webhook, target: targetOf("webhook", webhook.id), isMail: false })),
    ...mailboxes.map((mailbox) => ({
      ...mailbox,
      target: targetOf("mail", mailbox.account_id),
      isMail: true,
    })),
  ];
  return Map.groupBy(subscribers, (one): number | null => one.account_id);
}

/** Returns the notice about a domain at an instant: the last one that is due. Missed earlier ones are not sent. */
function expiryNotice(row: ExpiringRow, at: string): Omit<NoticeRow, "position"> {
  const days = lastDue(expiryNoticeDays, row.expires_at, at) ?? expiryNoticeDays[0];
  const { id, account_id, name, expires_at } = row;
  return {
    notice_id: noticeId(`domain.expiring/${String(id)}/${expires_at}/${String(days)}`),
    kind: "domain.expiring",
    account_id,
    resource: `domain-${String(id)}`,
    data: JSON.stringify({
      domain_id: id,
      domain_name: name,
      expiry_date: expires_at,
      days_until_expiry: wholeDaysUntil(at, expires_at),
      notice_days: days,
    }),
    noticed_at: addMilliseconds(expires_at, -days * dayMs),
  };
}

/** The same of a server: that its paid time ends, and, of one that does not run since it did, that it is destroyed. */
function serverNotice(
  { id, account_id, expires_at: expiresAt, suspended_at: suspendedAt, ...row }: ServerTermRow,
  at: string,
  terminationDays: number,
): Omit<NoticeRow, "position"> | undefined {
  const isOver = expiresAt <= at;
  // Before the suspension the outcome is uncertain, because a renewal may be in progress.
  if (isOver && suspendedAt === null) return undefined;
  const endsAt = isOver
    ? serverEndsAt(
        { cancelled: row.cancelled === 1, held: false, expiresAt, suspendedAt, releasedAt: row.released_at },
        terminationDays,
      )
    : expiresAt;
  const days = endsAt === null ? undefined : lastDue(serverNoticeDays, endsAt, at);
  if (endsAt === null || days === undefined || endsAt <= at) return undefined;
  const kind = isOver ? "server.terminating" : "server.expiring";
  const left = wholeDaysUntil(at, endsAt);
  const dates = isOver
    ? { terminates_at: endsAt, days_until_termination: left }
    : { expiry_date: endsAt, days_until_expiry: left };
  return {
    notice_id: noticeId(`${kind}/${String(id)}/${endsAt}/${String(days)}`),
    kind,
    account_id,
    resource: `server-${String(id)}`,
    data: JSON.stringify({ server_id: id, ...dates, notice_days: days }),
    noticed_at: addMilliseconds(endsAt, -days * dayMs),
  };
}

/** Of so many days before an end, the last that have begun. */
function lastDue(noticeDays: readonly number[], endsAt: string, at: string): number | undefined {
  const left = Date.parse(endsAt) - Date.parse(at);
  return noticeDays.findLast((each) => left <= each * dayMs);
}

/** The mail with a payment's receipt says that the payment arrived, so a customer who gets receipts gets no second mail about it. */
function wants(subscriber: Subscriber, kind: string): boolean {
  if (subscriber.isMail && kind === "topup.settled" && hasChosen(subscriber, "invoice.issued")) return false;
  return hasChosen(subscriber, kind);
}

function hasChosen({ kinds }: Subscriber, kind: string): boolean {
  if (kinds === null) return true;
  const chosen: unknown = JSON.parse(kinds);
  return Array.isArray(chosen) && chosen.includes(kind);
}

function delivery(
  { target, account_id }: Subscriber,
  { notice_id, kind, resource, data, noticed_at }: Omit<NoticeRow, "position">,
  at: string,
): Wanted {
  const payload: unknown = JSON.parse(data);
  return {
    target,
    account_id,
    notice_id,
    kind,
    resource,
    body: JSON.stringify({ type: kind, timestamp: noticed_at, data: payload }),
    created_at: at,
  };
}
