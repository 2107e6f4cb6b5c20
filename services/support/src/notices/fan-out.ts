import { addMilliseconds, expiryNoticeDays, wholeDaysUntil } from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";

import { noticeId } from "../reads/notices.projection.ts";
import type { ExpiringRow, NoticeQueries, NoticeRow, WebhookRow } from "../reads/notice.queries.ts";
import type { Deliveries, NewDelivery } from "./deliveries.ts";

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
  readonly queries: NoticeQueries;
  readonly deliveries: Pick<Deliveries, "add">;
  readonly nextId: () => Promise<number>;
  readonly clock: Clock;
  /** False while the time may not be acted upon: then nothing is said of expiries. */
  readonly isTimeTrusted: () => boolean;
}

type Wanted = Omit<NewDelivery, "id">;

/**
 * Nothing of where it is needs to be kept: a start looks at the notices of the last days again, and what is on its way already,
 * or was, stays as it is.
 */
export function createFanOut({ queries, deliveries, nextId, clock, isTimeTrusted }: FanOutOptions): FanOut {
  let position: number | undefined;
  let lookForExpiriesAt = "";

  async function noticesOfFacts(): Promise<boolean> {
    const at = clock.now();
    position ??= await queries.positionBefore(addMilliseconds(at, -lookBackMs));
    // There are none at all yet.
    if (position === undefined) return false;
    const notices = await queries.noticesAfter(position, roundLimit);
    const webhooks = await webhooksByAccount(notices);
    const wanted = notices.flatMap((notice) =>
      (webhooks.get(notice.account_id) ?? [])
        .filter((webhook) => wants(webhook, notice.kind) && webhook.created_position < notice.position)
        .map((webhook) => delivery(webhook, notice, at)),
    );
    await deliveries.add(wanted, nextId);
    position = notices.at(-1)?.position ?? position;
    return notices.length === roundLimit;
  }

  async function webhooksByAccount(rows: readonly Pick<NoticeRow, "account_id">[]) {
    const ids = new Set(rows.map((row) => row.account_id).filter((id) => id !== null));
    const webhooks = await queries.webhooksOf([...ids]);
    return Map.groupBy(webhooks, (webhook): number | null => webhook.account_id);
  }

  async function expiries(): Promise<void> {
    const at = clock.now();
    if (at < lookForExpiriesAt || !isTimeTrusted()) return;
    const until = addMilliseconds(at, expiryNoticeDays[0] * dayMs);
    for (let afterId = 0, isFull = true; isFull;) {
      const domains = await queries.expiring(at, until, afterId, roundLimit);
      const webhooks = await webhooksByAccount(domains);
      const wanted = domains.flatMap((row) => {
        const notice = expiryNotice(row, at);
        return (webhooks.get(row.account_id) ?? [])
          .filter((webhook) => wants(webhook, notice.kind) && webhook.created_at <= notice.noticed_at)
          .map((webhook) => delivery(webhook, notice, at));
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

function wants({ kinds }: WebhookRow, kind: string): boolean {
  if (kinds === null) return true;
  const wanted: unknown = JSON.parse(kinds);
  return Array.isArray(wanted) && wanted.includes(kind);
}

function delivery(
  { id, account_id }: WebhookRow,
  { notice_id, kind, resource, data, noticed_at }: Omit<NoticeRow, "position">,
  at: string,
): Wanted {
  const payload: unknown = JSON.parse(data);
  return {
    target: targetOfWebhook(id),
    account_id,
    notice_id,
    kind,
    resource,
    body: JSON.stringify({ type: kind, timestamp: noticed_at, data: payload }),
    created_at: at,
  };
}

/** How a webhook is called where notices wait for it. */
export function targetOfWebhook(id: number): string {
  return `${targetPrefix}${String(id)}`;
}

/** The webhook of a target. */
export function webhookOfTarget(target: string): number {
  return Number(target.slice(targetPrefix.length));
}

const targetPrefix = "webhook-";
