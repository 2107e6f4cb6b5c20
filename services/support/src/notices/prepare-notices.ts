import { addMilliseconds, terminationDaysLimits } from "@hostledger/core";
import {
  createIdSequence,
  createInstallation,
  type CommandHandler,
  type IdSequence,
} from "@hostledger/store";
import { runUnderLease, type Leases } from "@hostledger/work/leases";
import type { ReadModelDatabase } from "@hostledger/read";
import { defined, type Clock, type Logger } from "@hostledger/runtime";

import type { SupportServiceOptions, WebhookDependencies } from "../dependencies.ts";
import { noticeQueries, type NoticeQueries } from "../reads/notice.queries.ts";
import type { NoticeSchema } from "../reads/notice.tables.ts";
import { openDeliveries, type Deliveries, type DeliverySchema } from "./deliveries.ts";
import { createDeliveryWorker } from "./delivery-worker.ts";
import { createFanOut } from "./fan-out.ts";
import { createMailDocuments } from "./mail-documents.ts";
import { mailReceiver } from "./mail-receiver.ts";
import { openNoticeProgress, type NoticeProgress, type NoticeProgressSchema } from "./notice-progress.ts";
import type { Receiver, Receivers } from "./receiver.ts";
import { webhookReceiver } from "./webhook-receiver.ts";
import { createWebhookSender } from "./webhook-sender.ts";

/** How often notices and what is due are looked for, in milliseconds. */
const intervalMs = 250;

/** How long what was settled is listed, in milliseconds: longer than any notice could be made once more. */
const keptMs = 45 * 86_400_000;

/** How often what was settled longer ago is forgotten, in milliseconds. */
const forgetIntervalMs = 3_600_000;

/** The tables of what is told, to whom, and how far that has come. */
export type NotifyingSchema = NoticeSchema & DeliverySchema & NoticeProgressSchema;

/** What is needed to notify customers. */
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
}

/** Customers are about to be notified. */
export interface PreparedNotices {
  /** What the handlers about webhooks work with. */
  readonly webhooks: WebhookDependencies;
  /** Notifies customers, in one process at a time, until the signal aborts. Begin when the read models are as far as the log. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Ids of deliveries that are reserved together: there are many. */
const idBlockSize = 1_000;

/** Makes ready what notifies customers. @throws what the database throws */
export async function prepareNotices(options: PrepareNoticesOptions): Promise<PreparedNotices> {
  const { database, commands, clock, ids, logger, leases, subjectKeys, webhookIds, mail } = options;
  const { webhookAllow: allowed = [], resolve, isTimeTrusted = () => true } = options;
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
  const newCommandId = (): string => ids.uuid();
  const newSequence = (): IdSequence =>
    createIdSequence({ commands, name: "delivery", blockSize: idBlockSize, newCommandId });
  const notifying = {
    queries,
    deliveries,
    progress,
    newSequence,
    receivers,
    isMailSent,
    clock,
    logger,
    leases,
    isTimeTrusted,
    terminationDays,
  };
  return {
    webhooks: { ids, webhookIds, deliveries, sender, notices: queries },
    run: (signal) => runNotices(notifying, signal),
  };
}

/** Whoever sends no mail does not read what would send it. */
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

interface NoticesOptions {
  readonly queries: NoticeQueries;
  readonly deliveries: Deliveries;
  readonly progress: NoticeProgress;
  readonly newSequence: () => IdSequence;
  readonly receivers: Receivers;
  readonly isMailSent: boolean;
  readonly terminationDays: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Left out where one process is all there is. */
  readonly leases?: Leases | undefined;
  readonly isTimeTrusted: () => boolean;
}

async function runNotices(options: NoticesOptions, signal: AbortSignal): Promise<void> {
  const { clock, leases } = options;
  const work = async (ends: AbortSignal): Promise<void> => {
    // Deliveries go out in the order of their ids: what is left of a block is behind those of whoever notified meanwhile.
    const sequence = options.newSequence();
    const fanOut = createFanOut({ ...options, nextId: () => sequence.next() });
    const worker = createDeliveryWorker({ ...options, signal: ends });
    let forgetAt = "";
    try {
      while (!ends.aborted) {
        const isMore = await fanOut.round();
        await worker.begin();
        const now = clock.now();
        // What a long rest left to look at again is known by what was settled.
        if (!isMore && now >= forgetAt) {
          await options.deliveries.forgetBefore(addMilliseconds(now, -keptMs));
          forgetAt = addMilliseconds(now, forgetIntervalMs);
        }
        if (!isMore) await clock.sleep(intervalMs, ends);
      }
    } finally {
      await worker.idle();
    }
  };
  await runUnderLease(leases, "support notices", work, signal, clock);
}
