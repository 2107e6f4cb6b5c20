import { createHash } from "node:crypto";

import { staffTickets } from "@hostledger/core";
import { requestStaffTicket, type StaffTicketOptions } from "@hostledger/store";

/** A call that a provider did not carry out, as reported by the adapters. */
interface FailedCall {
  readonly provider: string;
  readonly subject: string;
  readonly words: string;
  readonly codeForStaff: string | undefined;
}

export interface FailureReportOptions extends StaffTicketOptions {
  readonly logger: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** The part of the system that asked, for example `domain-service`. */
  readonly recordedBy: string;
}

/** Logs every call that came to nothing, and opens one ticket for each reason and day where staff must act. Never throws. */
export function failureReports(options: FailureReportOptions): (failed: FailedCall) => void {
  return (failed) => {
    options.logger.warn({ ...failed }, "a provider did not carry out a call");
    const { provider, words, codeForStaff: code } = failed;
    if (code === undefined) return;
    const refusal = { provider: nameOf(provider), code, reason: reasonOf(failed), words };
    const ticket = staffTickets.providerRefuses(refusal, options.clock.now());
    requestStaffTicket(options, ticket, options.recordedBy).catch((error: unknown) => {
      options.logger.error({ ...failed, error }, "staff could not be told what a provider refuses");
    });
  };
}

/** Makes the provider's name safe for a stream name. */
function nameOf(provider: string): string {
  return provider.replaceAll(/[^\w.-]+/g, "-").slice(0, 60);
}

/** Returns a reason that is equal for answers that differ only in the subject's name and in numbers. */
function reasonOf({ subject, words }: FailedCall): string {
  const general = (subject === "" ? words : words.replaceAll(subject, "")).replaceAll(/\d+/g, "");
  return createHash("sha256").update(general).digest("hex").slice(0, 8);
}
