import {
  requestContextOf,
  requireAuditor,
  type AuditorCaller,
  type StaffCaller,
  type WithContextValues,
} from "@hostledger/rpc";

import type { AuditDependencies } from "../dependencies.ts";

/**
 * Admits an auditor or staff, and records an auditor's use before the request is checked, because a refused request is a
 * use too.
 * @throws ConnectError `unauthorized` for a customer or a service, `unauthenticated` for a credential that ended
 * meanwhile.
 */
export async function admitted(
  { auditors }: Pick<AuditDependencies, "auditors">,
  context: WithContextValues,
  method: string,
  subject: string,
): Promise<AuditorCaller | StaffCaller> {
  const caller = requireAuditor(context);
  if (caller.kind === "auditor") {
    const { requestId } = requestContextOf(context);
    await auditors.record(caller, { method, subject, requestId });
  }
  return caller;
}
