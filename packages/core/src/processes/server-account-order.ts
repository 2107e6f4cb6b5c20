import type { DataOf } from "../kernel/event-definition.ts";
import type { InvoiceLine } from "../pricing/totals.ts";
import type { chargeFields } from "./charge-fields.ts";

/** A command to the account's service about a server. Prices of servers are gross: the account adds no VAT to them. */
export type ServerAccountOrder =
  | {
      readonly type: "ChargeBalance";
      readonly accountId: number;
      readonly chargeId: string;
      readonly action: "purchase" | "renewal";
      readonly lines: readonly InvoiceLine[];
      readonly pricesIncludeVat: true;
      /** Months. */
      readonly duration: number;
      readonly serverId: number;
      readonly planId: number;
    }
  | {
      readonly type: "RefundCharge";
      readonly accountId: number;
      readonly chargeId: string;
      readonly reason: string;
    };

/** A charge that stands, as the account answered it. */
export type ServerCharge = DataOf<typeof chargeFields>;
