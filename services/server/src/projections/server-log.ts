import {
  historyCodec,
  planVersions,
  regionVersions,
  serverOrderEvents,
  serverRenewalEvents,
  serverVersions,
  stockVersions,
  type PlanEvent,
  type RegionEvent,
  type ServerEvent,
  type ServerOrderEvent,
  type ServerRenewalEvent,
  type StockEvent,
} from "@hostledger/core";

/** What the server service's read models hear. */
export type ServerLogEvent =
  PlanEvent | RegionEvent | StockEvent | ServerEvent | ServerOrderEvent | ServerRenewalEvent;

/** The streams in which these facts are. */
export const serverLogPrefixes = [
  "plan-",
  "region-",
  "stock-",
  "server-",
  "serverorder-",
  "serverrenewal-",
] as const;

/** Reads these facts. */
export const serverLogCodec = historyCodec<ServerLogEvent>({
  ...planVersions,
  ...regionVersions,
  ...stockVersions,
  ...serverVersions,
  ...serverOrderEvents,
  ...serverRenewalEvents,
});

type Ignored<Event extends { readonly type: string }> = Readonly<Record<Event["type"], "ignored">>;

/** The facts of stock, for read models that have no use for them. */
export const stockIgnored = {
  StockSet: "ignored",
  StockUnitReserved: "ignored",
  StockUnitReturned: "ignored",
} as const satisfies Ignored<StockEvent>;

/** The facts of the catalogue. */
export const catalogueIgnored = {
  PlanAdded: "ignored",
  RegionAdded: "ignored",
  ...stockIgnored,
} as const satisfies Ignored<PlanEvent | RegionEvent | StockEvent>;

/** The facts of servers. */
export const serversIgnored = {
  ServerOrdered: "ignored",
  ServerProvisioned: "ignored",
  ServerOrderFailed: "ignored",
  ServerRenewed: "ignored",
  ServerSuspended: "ignored",
  ServerUnsuspended: "ignored",
  FirewallToggled: "ignored",
  FirewallRuleAdded: "ignored",
  FirewallRuleRemoved: "ignored",
  HostnameChanged: "ignored",
  ServerWhitelisted: "ignored",
  ServerWhitelistingRevoked: "ignored",
} as const satisfies Ignored<ServerEvent>;

/** The facts of runs. */
export const runsIgnored = {
  ServerOrderStarted: "ignored",
  ServerOrderUnitTaken: "ignored",
  ServerOrderRefused: "ignored",
  ServerOrderPlaced: "ignored",
  ServerOrderCharged: "ignored",
  ComputeOrderCompleted: "ignored",
  ComputeOrderRefused: "ignored",
  ComputeOutcomeUnknown: "ignored",
  ComputeInquiryFailed: "ignored",
  ComputeOrderResumed: "ignored",
  ServerOrderFailureRecorded: "ignored",
  ServerOrderNeverCharged: "ignored",
  ServerOrderChargeReturned: "ignored",
  ComputeDestructionDue: "ignored",
  ComputeServerDestroyed: "ignored",
  ServerOrderParked: "ignored",
  ServerOrderUnparked: "ignored",
  ServerOrderAbandoned: "ignored",
  ServerOrderCompleted: "ignored",
  ServerRenewalStarted: "ignored",
  ServerRenewalCharged: "ignored",
  ServerRenewalChargeRefused: "ignored",
  ServerRenewalRecorded: "ignored",
  ServerRenewalNotRecorded: "ignored",
  ServerRenewalNeverCharged: "ignored",
  ServerRenewalChargeReturned: "ignored",
  ServerResumptionFailed: "ignored",
  ServerRenewalParked: "ignored",
  ServerRenewalUnparked: "ignored",
  ServerRenewalAbandoned: "ignored",
  ServerRenewalCompleted: "ignored",
} as const satisfies Ignored<ServerOrderEvent | ServerRenewalEvent>;
