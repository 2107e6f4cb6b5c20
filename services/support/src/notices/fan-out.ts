import { addMilliseconds, expiryNoticeDays, wholeDaysUntil } from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";

import { noticeId } from "../reads/notices.projection.ts";
import type { ExpiringRow, NoticeQueries, NoticeRow, WebhookRow } from "../reads/notice.queries.ts";
import type { Deliveries, NewDelivery } from "./deliveries.ts";
import { targetOf } from "./receiver.ts";

const dayMs = 86_400_000;

/** How far back a start looks for notices that are on no way yet: longer than anything is tried, in milliseconds. */
const lookBackMs = 7 * dayMs;

/** Notices, or domains, of one round. */
const roundLimit = 200;

/** How often domains that expire are looked for, in milliseconds. */
const expiryIntervalMs = 60_000;

/** Puts each notice on its way to whoever wants it, once. */
export interface FanOut {
  /** One round. @returns true where there may be more at once */
  round(): Promise<boolean>;
}

interface FanOutOptions {
  readonly queries: Pick<
    NoticeQueries,
    "noticesAfter" | "positionBefore" | "webhooksOf" | "mailboxesOf" | "expiring"
  >;
  readonly deliveries: Pick<Deliveries, "add">;
  readonly nextId: () => Promise<number>;
  readonly clock: Clock;
  /** False where no mail server is configured. */
  readonly isMailSent: boolean;
  /** False while the time may not be acted upon: then nothing is said of expiries. */
  readonly isTimeTrusted: () => boolean;
}

/** Who wants notices of an account, and since when. */
interface Subscriber extends Omit<WebhookRow, "id"> {
  readonly target: string;
}

type Wanted = Omit<NewDelivery, "id">;

/**
 * Nothing of where it is needs to be kept: a start looks at the notices of the last days again, and what is on its way already,
 * or was, stays as it is.
 */
export function createFanOut(options: FanOutOptions): FanOut {
  const { queries, deliveries, nextId, clock, isTimeTrusted, isMailSent } = options;
  let position: number | undefined;
  let lookForExpiriesAt = "";

  async function noticesOfFacts(): Promise<boolean> {
    const at = clock.now();
    position ??= await queries.positionBefore(addMilliseconds(at, -lookBackMs));
    // There are none at all yet.
    if (position === undefined) return false;
    const notices = await queries.noticesAfter(position, roundLimit);
    const subscribers = await subscribersByAccount(notices);
    const wanted = notices.flatMap((notice) =>
      (subscribers.get(notice.account_id) ?? [])
        .filter((one) => wants(one, notice.kind) && one.created_position < notice.position)
        .map((one) => delivery(one, notice, at)),
    );
    await deliveries.add(wanted, nextId);
    position = notices.at(-1)?.position ?? position;
    return notices.length === roundLimit;
  }

  async function subscribersByAccount(rows: readonly Pick<NoticeRow, "account_id">[]) {
    const ids = [...new Set(rows.map((row) => row.account_id).filter((id) => id !== null))];
    const webhooks = await queries.webhooksOf(ids);
    const mailboxes = isMailSent ? await queries.mailboxesOf(ids) : [];
    const subscribers: Subscriber[] = [
      ...webhooks.map((webhook) => ({ ...webhook, target: targetOf("webhook", webhook.id) })),
      ...mailboxes.map((mailbox) => ({
        ...mailbox,
        kinds: null,
        target: targetOf("mail", mailbox.account_id),
      })),
    ];
    return Map.groupBy(subscribers, (one): number | null => one.account_id);
  }

  async function expiries(): Promise<void> {
    const at = clock.now();
    if (at < lookForExpiriesAt || !isTimeTrusted()) return;
    const until = addMilliseconds(at, expiryNoticeDays[0] * dayMs);
    for (let afterId = 0, isFull = true; isFull;) {
      const domains = await queries.expiring(at, until, afterId, roundLimit);
      const subscribers = await subscribersByAccount(domains);
      const wanted = domains.flatMap((row) => {
        const notice = expiryNotice(row, at);
        return (subscribers.get(row.account_id) ?? [])
          .filter((one) => wants(one, notice.kind) && one.created_at <= notice.noticed_at)
          .map((one) => delivery(one, notice, at));
      });
      await deliveries.add(wanted, nextId);
      afterId = domains.at(-1)?.id ?? afterId;
      isFull = domains.length === roundLimit;
    }
    lookForExpiriesAt = addMilliseconds(at, expiryIntervalMs);
  }

  return {
    async round() {
      await expiries();
      return noticesOfFacts();
    },
  };
}

/** What is said of a domain at an instant: the last of its notices that is due. One that was missed is not made up for. */
function expiryNotice(row: ExpiringRow, at: string): Omit<NoticeRow, "position"> {
  const left = Date.parse(row.expires_at) - Date.parse(at);
  const days = expiryNoticeDays.findLast((each) => left <= each * dayMs) ?? expiryNoticeDays[0];
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

function wants({ kinds }: Subscriber, kind: string): boolean {
  if (kinds === null) return true;
  const wanted: unknown = JSON.parse(kinds);
  return Array.isArray(wanted) && wanted.includes(kind);
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
