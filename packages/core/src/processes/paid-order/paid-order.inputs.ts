import type { DomainCommand } from "../../domain/domain.commands.ts";
import type { DomainState } from "../../domain/domain.state.ts";
import type { StockCommand } from "../../catalogue/catalogue.commands.ts";
import type { RejectionCode } from "../../kernel/rejection-catalogue.ts";
import type { Rejection } from "../../kernel/rejection.ts";
import type { InvoiceLine } from "../../pricing/totals.ts";
import type { ServerCommand } from "../../server/server.commands.ts";
import type { ServerState } from "../../server/server.state.ts";
import type { ServerOrderStarted } from "../server-order.events.ts";
import type { Charge } from "./paid-order.state.ts";

/** What reaches the run of a paid order from outside; `at` is when. */
export type PaidOrderInput<Subject, Held> = { readonly at: string } & (
  | {
      readonly type: "begun";
      readonly subject: Subject;
      /** Somebody may have begun it before, and stored nothing. */
      readonly again?: boolean;
    }
  /** The account has made the charge for this very question: no owner of the run came this far before. */
  | { readonly type: "charged"; readonly charge: Charge }
  /** The account stands for the charge, and did before: an earlier owner of the run came this far, or farther. */
  | { readonly type: "charged-before"; readonly charge: Charge }
  /** The account has returned the charge. */
  | { readonly type: "refunded"; readonly correctionId: number }
  /** An aggregate carried out the command, or had done so before; `found` is what it tells of the order. */
  | { readonly type: "accepted"; readonly found?: Held | undefined }
  /** An aggregate refused the command. */
  | { readonly type: "rejected"; readonly rejection: Rejection }
  /** The provider holds what was ordered. */
  | { readonly type: "held"; readonly held: Held }
  /** The provider took the order down and carries it out later, or does not (EPP 1001). */
  | { readonly type: "pending" }
  /** The provider holds nothing of this order. */
  | { readonly type: "not-held" }
  /** The provider carried out the cancellation. */
  | { readonly type: "done" }
  /** The provider said no; `code` where the catalogue has a word for it that helps the customer. */
  | { readonly type: "refused"; readonly reason: string; readonly code?: RejectionCode | undefined }
  /** The provider was not reached: nothing was sent. */
  | { readonly type: "unreachable"; readonly reason: string }
  /** Nobody here knows what the provider did. */
  | { readonly type: "unknown"; readonly reason: string }
  /** Another process took the run over: what was under way may have happened or not. */
  | { readonly type: "resumed" }
  /** The step failed again and again for a technical reason. */
  | { readonly type: "failed"; readonly reason: string }
  /** Staff lets a suspended run try again. */
  | { readonly type: "retried" }
  /** Staff ends a suspended run. */
  | { readonly type: "abandoned"; readonly reason: string }
);

/** What the account is asked to charge. */
export interface ChargeOrder {
  readonly accountId: number;
  readonly chargeId: string;
  readonly action: "purchase" | "renewal";
  readonly lines: readonly InvoiceLine[];
  /** True for servers: their prices contain the VAT. */
  readonly pricesIncludeVat: boolean;
  /** Years of a domain, months of a server. */
  readonly duration: number;
  readonly domainId: number | null;
  readonly serverId: number | null;
  readonly planId: number | null;
}

/** What the account is asked to return, in full. */
export interface RefundOrder {
  readonly accountId: number;
  readonly chargeId: string;
  /** The account's own word for it: a registration's refund is a fact of its own. */
  readonly of: "registration" | "charge";
  readonly reason: string;
}

/** A command to one of our own aggregates; `found` reads out of its state what it knows of the order. */
export type OrderCommand<Held> =
  | { readonly to: "account"; readonly charge: ChargeOrder }
  | { readonly to: "account"; readonly refund: RefundOrder }
  | {
      readonly to: "domain";
      readonly id: string;
      readonly command: DomainCommand;
      readonly found?: (state: DomainState) => Held | undefined;
    }
  | {
      readonly to: "server";
      readonly id: string;
      readonly command: ServerCommand;
      readonly found?: (state: ServerState) => Held | undefined;
    }
  | { readonly to: "stock"; readonly id: string; readonly command: StockCommand };

/** A request to the registrar about a name. Orders and cancellations answer held | done, refused, unreachable, unknown. */
export type RegistrarRequest = { readonly to: "registrar"; readonly name: string } & (
  | ({ readonly type: "register"; readonly years: number; readonly accountId: number } & NamedOrder)
  | ({
      /**
       * A name that the registry withholds is restored, and renewed with that. The question about a restoration, answered as that
       * about an expiry, orders the year of a name that is back without it: nobody else can have meant that.
       */
      readonly type: "renew" | "restore" | "inquire-restoration";
      /** The expiry date that is renewed: the registrar renews no other (RFC 5731 §3.2.3). */
      readonly currentExpiresAt: string;
      readonly years: number;
    } & NamedOrder)
  /** Does it hold the name under this order? Answers held, not-held, unknown. */
  | ({ readonly type: "inquire-registration"; readonly years: number } & NamedOrder)
  /** Until when does it hold the name? Answers held, not-held, unknown. */
  | { readonly type: "inquire-expiry" }
  | { readonly type: "cancel" }
  /** Answers held, pending, refused, unreachable, unknown. */
  | ({ readonly type: "transfer-in"; readonly authCode: string; readonly accountId: number } & NamedOrder)
  /** What has become of the transfer, once a pending one is withdrawn if need be? Answers as the order does, and not-held. */
  | ({
      readonly type: "inquire-transfer" | "withdraw-transfer";
      readonly accountId: number;
      /** The registrar has said that it took the order down. */
      readonly isTaken?: boolean;
    } & NamedOrder)
);

/** An order by the id that the registrar knows it under: of orders with one id, it carries out one. */
interface NamedOrder {
  readonly clientTransactionId: string;
}

/** A request to the compute provider about the server that the order names. */
export interface ComputeRequest {
  readonly to: "compute";
  readonly type: "provision" | "inquire" | "destroy";
  readonly order: ServerOrderStarted["data"];
}

/** A request to a provider. */
export type ProviderRequest = RegistrarRequest | ComputeRequest;

/**
 * What a run does next.
 *
 * - `send`: give a command to an aggregate of ours. It is safe to repeat, so that the run's facts need not be stored before.
 * - `compensate`: the same for a command after which no later owner may go another way: the run's facts are stored before.
 * - `call`: ask a provider, not before an instant if one is given, and after the longest pause at the latest.
 * - `suspend`: wait for staff.
 * - `complete`: nothing more.
 */
export type PaidOrderAction<Held> =
  | { readonly kind: "send" | "compensate"; readonly command: OrderCommand<Held> }
  | {
      readonly kind: "call";
      readonly request: ProviderRequest;
      /** Nobody asked the provider for anything before: where nothing of the run is stored yet, that can wait for the answer. */
      readonly isFirst: boolean;
      /** How often the step has failed in a row. */
      readonly failures: number;
      readonly notBefore: string | undefined;
      /** Milliseconds: a clock that was ahead when the instant was stored must not hold the run up. */
      readonly longestPauseMs: number;
    }
  | { readonly kind: "suspend"; readonly reason: string }
  | { readonly kind: "complete" };
