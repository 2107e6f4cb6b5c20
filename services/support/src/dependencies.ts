import type {
  AccountQuotas,
  CodecOfCategory,
  CommandHandler,
  EventStore,
  IdSequence,
} from "@hostledger/store";
import type { Leases } from "@hostledger/work/leases";
import type { TextKeys } from "@hostledger/store/personal-data";
import type { Projector, ReadAfter, ReadModelLocation } from "@hostledger/read";
import type { Clock, Ids, Logger, Tracing } from "@hostledger/runtime";

import type { TicketDesk } from "./effects/ticket-desk.ts";
import type { Deliveries } from "./notices/deliveries.ts";
import type { DocumentAccess } from "./notices/mail-documents.ts";
import type { MailSettings } from "./notices/mail-transport.ts";
import type { Resolve, WebhookSender } from "./notices/webhook-sender.ts";
import type { Channel } from "./notices/receiver.ts";
import type { NoticeQueries } from "./reads/notice.queries.ts";
import type { SupportQueries } from "./reads/support.queries.ts";

/** Mail server, sender, and the service that renders attached documents. */
export interface MailOptions extends MailSettings, DocumentAccess {}

/** Options that the process passes to the support service. */
export interface SupportServiceOptions {
  readonly store: EventStore;
  /** The same store with personal data as it lies there: read models keep it sealed too. */
  readonly rawStore: EventStore;
  readonly subjectKeys: TextKeys;
  /**
   * Returns the codec of a category's streams. Default: `codecOfCategory`, with which an event that contradicts
   * earlier events stops its stream.
   */
  readonly codecOf?: CodecOfCategory;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Tracing, if a collector is configured. */
  readonly tracing?: Tracing;
  /** Location of the service's read models. */
  readonly readModels: ReadModelLocation;
  /** Decides which of several processes notifies customers. Undefined if there is only one process. */
  readonly leases?: Leases;
  /** Networks (CIDR) that webhooks may reach although they are not public. Default: none. */
  readonly webhookAllow?: readonly string[];
  /** Resolves host names of receivers. Default: the machine's resolver. */
  readonly resolve?: Resolve;
  /** Mail to customers. Undefined: no mail is sent. */
  readonly mail?: MailOptions;
  /** Returns whether the clock is trusted. Default: always. */
  readonly isTimeTrusted?: () => boolean;
  /** Days for which a server is kept after it expired. Default 14. */
  readonly terminationDays?: number;
}

export interface SupportDependencies {
  /** With personal data as it lies there: it is asked for places alone. */
  readonly store: Pick<EventStore, "read">;
  readonly commands: CommandHandler;
  readonly clock: Clock;
  readonly projector: Projector;
  readonly readAfter: ReadAfter<SupportQueries>;
  readonly queries: SupportQueries;
  readonly desk: TicketDesk;
  readonly quotas: AccountQuotas;
  readonly webhooks: WebhookDependencies;
}

/** Further dependencies of the handlers about webhooks. */
export interface WebhookDependencies {
  readonly ids: Ids;
  readonly webhookIds: IdSequence;
  readonly deliveries: Pick<
    Deliveries,
    "of" | "ofAccount" | "byId" | "giveUp" | "hasten" | "ofNotice" | "cameBack" | "resend"
  >;
  /** Has a receiver tried at once although an attempt failed. */
  readonly endPause: (channel: Channel, target: string) => Promise<void>;
  readonly sender: WebhookSender;
  readonly notices: Pick<NoticeQueries, "webhookById" | "mailboxOf">;
}
