import type { Sold, SupplyPeriod } from "../../account/document-terms.ts";
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

/** An input to the run of a paid order, with its time `at`. */
export type PaidOrderInput<Subject, Held> = { readonly at: string } & (
  | {
      readonly type: "begun";
      readonly subject: Subject;
      /** True if an earlier owner may have begun the run without storing an event. */
      readonly again?: boolean;
    }
  /** The account made the charge for this command, so no earlier owner came this far. */
  | { readonly type: "charged"; readonly charge: Charge }
  /** The account had already made the charge, so an earlier owner came at least this far. */
  | { readonly type: "charged-before"; readonly charge: Charge }
  | { readonly type: "refunded"; readonly correctionId: number }
  /** An aggregate carried out the command, now or earlier. `found` is its record of the order. */
  | { readonly type: "accepted"; readonly found?: Held | undefined }
  | { readonly type: "rejected"; readonly rejection: Rejection }
  /** The provider has the ordered resource. */
  | { readonly type: "held"; readonly held: Held }
  /** The provider accepted the order and decides later (EPP 1001). */
  | { readonly type: "pending" }
  /** The provider has no resource of this order. */
  | { readonly type: "not-held" }
  | { readonly type: "done" }
  /** The provider refused. `code` is set if the catalogue has a code that helps the customer. */
  | { readonly type: "refused"; readonly reason: string; readonly code?: RejectionCode | undefined }
  /** The provider could not be reached, so nothing was sent. */
  | { readonly type: "unreachable"; readonly reason: string }
  /** The outcome of the request is unknown. */
  | { readonly type: "unknown"; readonly reason: string }
  /** Another process took over the run. Its last action may or may not have been carried out. */
  | { readonly type: "resumed" }
  /** The step failed repeatedly for a technical reason. */
  | { readonly type: "failed"; readonly reason: string }
  | { readonly type: "retried" }
  | { readonly type: "abandoned"; readonly reason: string }
);

export interface ChargeOrder {
  readonly accountId: number;
  readonly chargeId: string;
  readonly action: "purchase" | "renewal";
  readonly lines: readonly InvoiceLine[];
  /** True for servers, because their prices include VAT. */
  readonly pricesIncludeVat: boolean;
  /** Years of a domain or months of a server. */
  readonly duration: number;
  readonly domainId: number | null;
  readonly serverId: number | null;
  readonly planId: number | null;
  /** Period that the charge pays for; null where nobody knows it. */
  readonly supply: SupplyPeriod | null;
  readonly sold: Sold | null;
}

export interface RefundOrder {
  readonly accountId: number;
  readonly chargeId: string;
  /** The account stores the refund of a registration as an event of its own type. */
  readonly of: "registration" | "charge";
  readonly reason: string;
}

/** A command to one of our aggregates. `found` reads the aggregate's record of the order from its state. */
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

/**
 * A request to the registrar about a name. Orders and cancellations are answered with held or done, refused, unreachable
 * or unknown.
 */
export type RegistrarRequest = { readonly to: "registrar"; readonly name: string } & (
  | ({ readonly type: "register"; readonly years: number; readonly accountId: number } & NamedOrder)
  | ({
      /**
       * `restore` restores a name that the registry withholds, and renews it. `inquire-restoration` is answered like
       * `inquire-expiry`; if the name is restored but not renewed, it also orders the missing year.
       */
      readonly type: "renew" | "restore" | "inquire-restoration";
      /** The expiry date to renew: the registrar renews no other (RFC 5731 §3.2.3). */
      readonly currentExpiresAt: string;
      readonly years: number;
    } & NamedOrder)
  /** Asks whether the registrar has the name under this order. Answers: held, not-held, unknown. */
  | ({ readonly type: "inquire-registration"; readonly years: number } & NamedOrder)
  /** Asks for the expiry date of the name. Answers: held, not-held, unknown. */
  | { readonly type: "inquire-expiry" }
  | { readonly type: "cancel" }
  /** Answers: held, pending, refused, unreachable, unknown. */
  | ({ readonly type: "transfer-in"; readonly authCode: string; readonly accountId: number } & NamedOrder)
  /**
   * Asks for the state of the transfer; `withdraw-transfer` first withdraws a pending one. Answers: those of the order,
   * and not-held.
   */
  | ({
      readonly type: "inquire-transfer" | "withdraw-transfer";
      readonly accountId: number;
      /** True if the registrar has accepted the order. */
      readonly isTaken?: boolean;
    } & NamedOrder)
);

/** An order with the id by which the registrar knows it. The registrar carries out only one order per id. */
interface NamedOrder {
  readonly clientTransactionId: string;
}

/** A request to the compute provider about the server of an order. */
export interface ComputeRequest {
  readonly to: "compute";
  readonly type: "provision" | "inquire" | "destroy";
  readonly order: ServerOrderStarted["data"];
}

export type ProviderRequest = RegistrarRequest | ComputeRequest;

/**
 * The next action of a run.
 *
 * - `send`: send a command to one of our aggregates. A repetition is safe, so the run's events need not be stored before.
 * - `compensate`: as `send`, but the run's events are stored before, because no later owner may choose another way.
 * - `call`: call a provider, not before `notBefore`, but at the latest after `longestPauseMs`.
 * - `suspend`: wait for staff.
 * - `complete`: nothing more.
 */
export type PaidOrderAction<Held> =
  | { readonly kind: "send" | "compensate"; readonly command: OrderCommand<Held> }
  | {
      readonly kind: "call";
      readonly request: ProviderRequest;
      /**
       * True if no request was sent to the provider before. A run without stored events may then store them after the
       * answer.
       */
      readonly isFirst: boolean;
      /** Failures of the step in a row. */
      readonly failures: number;
      readonly notBefore: string | undefined;
      /** Milliseconds. Limits the wait if the clock was ahead when `notBefore` was stored. */
      readonly longestPauseMs: number;
    }
  | { readonly kind: "suspend"; readonly reason: string }
  | { readonly kind: "complete" };
