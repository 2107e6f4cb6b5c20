import { addMilliseconds, terminationDaysLimits } from "@hostledger/core";
import {
  type CommandHandler,
  createIdSequence,
  createInstallation,
  type IdSequence,
} from "@hostledger/store";
import type { ReadModelDatabase } from "@hostledger/read";
import { defined } from "@hostledger/runtime";
import { type AnyWorkKind, type EffectEnd, openWorkEngine, workKind } from "@hostledger/work";
import type { WorkSchema } from "@hostledger/work/work-table";

import type { SupportServiceOptions, WebhookDependencies } from "../dependencies.ts";
import type { CauseWorker } from "../effects/cause-worker.ts";
import { noticeQueries, type NoticeQueries } from "../reads/notice.queries.ts";
import type { NoticeSchema } from "../reads/notice.tables.ts";
import { type Deliveries, type DeliverySchema, openDeliveries } from "./deliveries.ts";
import { deliveringWork, dueReceivers } from "./receiver.work.ts";
import { createFanOut, type FanOut, type FanOutOptions } from "./fan-out.ts";
import { createMailDocuments } from "./mail-documents.ts";
import { mailReceiver } from "./mail-receiver.ts";
import { type NoticeProgressSchema, openNoticeProgress } from "./notice-progress.ts";
import { type Channel, channels, type Receiver, type Receivers } from "./receiver.ts";
import { webhookReceiver } from "./webhook-receiver.ts";
import { createWebhookSender } from "./webhook-sender.ts";

/** Interval between checks for events that need a ticket or a notice, and for due deliveries, in milliseconds. */
const intervalMs = 250;

/** Interval between checks for ending resources, in milliseconds. */
const expiryIntervalMs = 60_000;

/** Time for which settled deliveries are listed, in milliseconds: longer than a notice can be created again. */
const keptMs = 45 * 86_400_000;

/** Interval between deletions of old settled deliveries, in milliseconds. */
const forgetIntervalMs = 3_600_000;

/** Tables of notices, deliveries, progress and due work. */
export type NotifyingSchema = NoticeSchema & DeliverySchema & NoticeProgressSchema & WorkSchema;

export interface PrepareNoticesOptions extends Pick<
  SupportServiceOptions,
  | "clock"
  | "ids"
  | "logger"
  | "leases"
  | "subjectKeys"
  | "webhookAllow"
  | "resolve"
  | "mail"
  | "isTimeTrusted"
  | "terminationDays"
> {
  readonly database: ReadModelDatabase<NotifyingSchema>;
  readonly commands: CommandHandler;
  readonly webhookIds: IdSequence;
  readonly causes: Pick<CauseWorker, "round">;
  /** Waits a while until the read models show everything that is stored now. */
  readonly caughtUp: () => Promise<void>;
}

/** Customers are about to be notified. */
export interface PreparedNotices {
  readonly webhooks: WebhookDependencies;
  /** Opens tickets and notifies customers, in one process at a time, until the signal aborts. Begin when the read models are as far as the log. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Ids of deliveries that are reserved together: there are many. */
const idBlockSize = 1_000;

/** Prepares the delivery of notices. @throws Every error of the database */
export async function prepareNotices(options: PrepareNoticesOptions): Promise<PreparedNotices> {
  const { database, commands, clock, ids, logger, leases, subjectKeys, webhookIds, mail } = options;
  const { webhookAllow: allowed = [], resolve, isTimeTrusted } = options;
  const { terminationDays = terminationDaysLimits.default } = options;
  const deliveries = await openDeliveries(database);
  const progress = await openNoticeProgress(database);
  const sender = createWebhookSender({ allowed, timing: clock, ...defined({ resolve }) });
  const isMailSent = mail !== undefined;
  const queries = noticeQueries(database, subjectKeys, isMailSent);
  const receivers: Receivers = {
    webhook: webhookReceiver(commands, sender),
    ...(mail === undefined ? {} : { mail: await receivingMail(mail, queries, options) }),
  };
  const newSequence = (): IdSequence =>
    createIdSequence({ commands, name: "delivery", blockSize: idBlockSize, newCommandId: () => ids.uuid() });
  const due = dueReceivers(database);
  const rounds = { clock, caughtUp: options.caughtUp };
  const engine = await openWorkEngine({
    database,
    kinds: [
      ...channels.map((channel) =>
        deliveringWork(channel, { deliveries, receivers: due, queries, receiver: receivers[channel], clock }),
      ),
      ...noticeRounds({ ...rounds, queries, deliveries, progress, newSequence, isMailSent, terminationDays }),
      round("tickets", false, async () => {
        const isDone = await options.causes.round();
        return { outcome: "done", step: "tickets opened", ...(isDone ? { againAfterMs: 0 } : {}) };
      }),
    ],
    clock,
    logger,
    lease: "support notices",
    leases,
    isTimeTrusted,
    intervalMs,
  });
  const endPause = (channel: Channel, target: string): Promise<void> =>
    engine.wake({ kind: channel, key: target });
  return {
    webhooks: { ids, webhookIds, deliveries, endPause, sender, notices: queries },
    run: (signal) => engine.run(signal),
  };
}

/** A process that sends no mail does not load the mail sender. */
async function receivingMail(
  mail: NonNullable<SupportServiceOptions["mail"]>,
  queries: NoticeQueries,
  { commands, clock, ids, logger }: PrepareNoticesOptions,
): Promise<Receiver> {
  const { createMailSender } = await import("./mail-sender.ts");
  const installation = createInstallation({ commands, clock, ids });
  const mailSender = createMailSender(mail, { timing: clock, installation });
  return mailReceiver(queries, mailSender, createMailDocuments(mail, logger), commands);
}

interface RoundsOptions extends Omit<FanOutOptions, "nextId"> {
  readonly deliveries: Deliveries;
  readonly newSequence: () => IdSequence;
  readonly caughtUp: () => Promise<void>;
}

/** The rounds that have notices delivered. No event begins them. */
function noticeRounds({ newSequence, caughtUp, ...options }: RoundsOptions): readonly AnyWorkKind[] {
  const { clock, deliveries } = options;
  let begun: { readonly hold: AbortSignal; readonly fanOut: FanOut } | undefined;
  let forgetAt = "";

  /** Begins anew with each hold of the lease: another process may have notified meanwhile, and used later ids. */
  function fanOutDuring(hold: AbortSignal): FanOut {
    if (begun?.hold === hold) return begun.fanOut;
    const sequence = newSequence();
    begun = { hold, fanOut: createFanOut({ ...options, nextId: () => sequence.next() }) };
    return begun.fanOut;
  }

  async function lookThrough(hold: AbortSignal): Promise<EffectEnd> {
    const step = "notices looked through";
    if (await fanOutDuring(hold).round()) return { outcome: "done", step };
    const now = clock.now();
    // After a long downtime, old deliveries show which notices were sent, so they are deleted only after the
    // reading.
    if (now >= forgetAt) {
      await deliveries.forgetBefore(addMilliseconds(now, -keptMs));
      forgetAt = addMilliseconds(now, forgetIntervalMs);
    }
    return { outcome: "done", step, againAfterMs: 0 };
  }

  async function lookForExpiries(hold: AbortSignal): Promise<EffectEnd> {
    // No event makes this look due again, so that it must see everything that was stored before its instant.
    const at = clock.now();
    await caughtUp();
    await fanOutDuring(hold).expiries(at);
    return { outcome: "done", step: "expiries looked for", againAfterMs: expiryIntervalMs };
  }

  return [round("notices", false, lookThrough), round("expiries", true, lookForExpiries)];
}

function round(
  name: string,
  needsTrustedTime: boolean,
  look: (hold: AbortSignal) => Promise<EffectEnd>,
): AnyWorkKind {
  return workKind<object, { readonly type: "look" }>({
    name,
    needsTrustedTime,
    begins: { keys: [name], afterMs: 0 },
    load: () => Promise.resolve({}),
    next: () => ({ do: { type: "look" } }),
    effects: {
      look: {
        retry: { firstMs: 1_000, longestMs: 60_000 },
        carryOut: (_effect, _state, hold) => look(hold),
      },
    },
  });
}
