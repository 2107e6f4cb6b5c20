import type { DailyQuota, Rejection } from "@hostledger/core";

import { rejectionError } from "../errors/rejection-error.ts";
import {
  callerOf,
  requestContextOf,
  type RequestContext,
  type WithContextValues,
} from "../interceptors/call-context.ts";

/** Limits orders that repeatedly come to nothing. */
interface OrderQuotas {
  refusalOfOrders(accountId: number, origin: RequestContext): Promise<Rejection | undefined>;
}

/** Grants shares of a daily quota. */
interface DailyQuotas {
  use(
    accountId: number,
    quota: DailyQuota,
    amount: number,
    origin: RequestContext,
  ): Promise<Rejection | undefined>;
}

/**
 * Uses a share of a customer's quota; staff and services have no quotas.
 * @throws ConnectError `quota-exceeded`
 */
export async function useQuota(
  quotas: DailyQuotas,
  quota: DailyQuota,
  amount: number,
  context: WithContextValues,
): Promise<void> {
  const caller = callerOf(context);
  if (caller.kind !== "account") return;
  const refusal = await quotas.use(caller.accountId, quota, amount, requestContextOf(context));
  if (refusal !== undefined) throw rejectionError(refusal);
}

/**
 * Refuses a customer's order where the orders of the day that came to nothing have used up the quota: they cost no money, and
 * store events.
 * @throws ConnectError `quota-exceeded`
 */
export async function refuseAfterFailures(quotas: OrderQuotas, context: WithContextValues): Promise<void> {
  const caller = callerOf(context);
  if (caller.kind !== "account") return;
  const refusal = await quotas.refusalOfOrders(caller.accountId, requestContextOf(context));
  if (refusal !== undefined) throw rejectionError(refusal);
}
