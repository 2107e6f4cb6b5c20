import {
  requestContextOf,
  requireAuditor,
  type AuditorCaller,
  type StaffCaller,
  type WithContextValues,
} from "@hostledger/rpc";

import type { AuditDependencies } from "../dependencies.ts";

/**
 * Lets an auditor or staff in, and records an auditor's use before anything is looked at: a request that is refused for
 * what it asks was a use as well.
 * @throws ConnectError `unauthorized` for a customer or a service, `unauthenticated` for a credential that went meanwhile.
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
