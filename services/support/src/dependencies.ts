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

/** Through which server customers are written to, who writes, and where the documents are laid out that go with it. */
export interface MailOptions extends MailSettings, DocumentAccess {}

/** What the support service needs from its process. */
export interface SupportServiceOptions {
  readonly store: EventStore;
  /** The same store with personal data as it lies there: read models keep it sealed too. */
  readonly rawStore: EventStore;
  /** What opens it. */
  readonly subjectKeys: TextKeys;
  /** What reads the events of a category's streams. Default: `codecOfCategory`, by which an event that contradicts others stops its stream. */
  readonly codecOf?: CodecOfCategory;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Where a collector wants to know what requests lead to. */
  readonly tracing?: Tracing;
  /** Where the service's read models are. */
  readonly readModels: ReadModelLocation;
  /** Who notifies customers, where several processes could. Left out where one process is all there is. */
  readonly leases?: Leases;
  /** Networks (CIDR) that webhooks may reach although they are not public. Default: none. */
  readonly webhookAllow?: readonly string[];
  /** How names of receivers are resolved. Default: as this machine does. */
  readonly resolve?: Resolve;
  /** How customers are written to. Left out: nobody is. */
  readonly mail?: MailOptions;
  /** Whether the time may be acted upon. Default: always. */
  readonly isTimeTrusted?: () => boolean;
  /** Days for which a server is kept after it expired. Default 14. */
  readonly terminationDays?: number;
}

/** What the service's handlers work with. */
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

/** What the handlers about webhooks work with beside it. */
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
