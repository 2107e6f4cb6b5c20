import { createClient, type Transport } from "@connectrpc/connect";
import { admin } from "@hostledger/protocol";
import { rejectionOf, staffRolesOfMetrics, type FoundReader } from "@hostledger/rpc";

import { staffTokenPrefix, type StaffMembers } from "./staff-members.ts";

/** Finds whether a person's credential opens the metrics. @throws where that cannot be said now. */
export type FindReader = (authorization: string) => Promise<FoundReader>;

/** A gateway that runs alone waits so long for a service, in milliseconds. */
const answerLimitMs = 2_000;

/** Finds it in the list of the staff. */
export function metricsReadersOf(staff: Pick<StaffMembers, "identify">): FindReader {
  return (authorization) =>
    foundBy(authorization, async () => {
      const { role } = await staff.identify(authorization);
      return role !== undefined && staffRolesOfMetrics.has(role);
    });
}

/** Identifies a reader by calling an operation of the same roles, because a gateway has no events. */
export function metricsReadersAt(account: Transport): FindReader {
  const members = createClient(admin.StaffAdminService, account);
  return (authorization) =>
    foundBy(authorization, async () => {
      await members.listStaffMembers({}, { headers: { authorization }, timeoutMs: answerLimitMs });
      return true;
    });
}

/** Only a person's token is looked up. */
async function foundBy(authorization: string, isAllowed: () => Promise<boolean>): Promise<FoundReader> {
  if (!authorization.startsWith(`Bearer ${staffTokenPrefix}`)) return "unknown-credential";
  try {
    return (await isAllowed()) ? "allowed" : "forbidden";
  } catch (error) {
    const { code } = rejectionOf(error);
    if (code === "unauthorized") return "forbidden";
    if (code === "unauthenticated") return "unknown-credential";
    throw error;
  }
}
