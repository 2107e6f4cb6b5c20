import type { ReserveStockUnit, ReturnStockUnit } from "../../catalogue/catalogue.commands.ts";
import type { Rejection } from "../../kernel/rejection.ts";
import type { OrderServer, RecordOrderFailed, RecordProvisioned } from "../../server/server.commands.ts";
import type { ServerAccountOrder, ServerCharge } from "../server-account-order.ts";
import type { ServerOrder, ServerPlace } from "./order-server.state.ts";

/** What reaches the run of an order from outside; `at` is when. */
export type ServerOrderInput = { readonly at: string } & (
  | { readonly type: "ordered"; readonly order: Omit<ServerOrder, "startedAt"> }
  /** The account stands for the charge. */
  | { readonly type: "charged"; readonly charge: ServerCharge }
  /** The account has returned the charge. */
  | { readonly type: "refunded"; readonly correctionId: number }
  /** An aggregate carried out the command, or had done so before. */
  | { readonly type: "accepted" }
  /** An aggregate refused the command. */
  | { readonly type: "rejected"; readonly rejection: Rejection }
  /** The compute party carried out the request. */
  | { readonly type: "done" }
  /** The server exists for this order. */
  | { readonly type: "held"; readonly place: ServerPlace }
  /** No server exists for this order. */
  | { readonly type: "not-held" }
  /** The compute party certainly did not carry out the request. */
  | { readonly type: "refused"; readonly reason: string }
  /** Nobody here knows what the compute party did. */
  | { readonly type: "unknown"; readonly reason: string }
  /** Another process took the run over: what was under way may have happened or not. */
  | { readonly type: "resumed" }
  /** The step failed again and again for a technical reason. */
  | { readonly type: "failed"; readonly reason: string }
  /** Staff lets a parked run try again. */
  | { readonly type: "retried" }
  /** Staff ends a parked run. */
  | { readonly type: "abandoned"; readonly reason: string }
);

interface WithoutTime<Command extends { readonly type: string; readonly data: object }> {
  readonly type: Command["type"];
  readonly data: Omit<Command["data"], "at">;
}

/** A command to the units of the order's plan and region; the edge adds the time. */
export type StockOrder = WithoutTime<ReserveStockUnit> | WithoutTime<ReturnStockUnit>;

/** A command to the server's stream; the edge adds the time. */
export type ServerStreamOrder =
  WithoutTime<OrderServer> | WithoutTime<RecordProvisioned> | WithoutTime<RecordOrderFailed>;

/** A command that a run gives. */
export type ServerOrderCommand =
  | { readonly to: "account"; readonly order: ServerAccountOrder }
  | { readonly to: "stock"; readonly order: StockOrder }
  | { readonly to: "server"; readonly serverId: number; readonly order: ServerStreamOrder };

/** A request to the compute party about the server that the order names. */
export type ServerOrderRequest =
  /** Set the server up. Answers: held, refused, unknown. */
  | { readonly type: "provision"; readonly order: ServerOrder }
  /** Is there such a server? Answers: held, not-held, refused, unknown. */
  | { readonly type: "inquire"; readonly order: ServerOrder }
  /** Remove it; one that is not there is removed. Answers: done, refused, unknown. */
  | { readonly type: "destroy"; readonly order: ServerOrder };
