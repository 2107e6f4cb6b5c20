import { inquirySchedule, nextAttemptAt, type RetrySchedule } from "../retry-schedule.ts";

/** How the registrar is asked whether it renewed a name: briefly while the customer waits, then patiently. */
export const renewalInquiries = {
  whileTheCustomerWaits: inquirySchedule,
  /** For about a day; then staff is asked. The money stays charged: a renewal cannot be taken back. */
  inTheBackground: { limit: 1_500, firstDelayMs: 2_000, longestDelayMs: 60_000 },
} as const satisfies Readonly<Record<string, RetrySchedule>>;

/** Questions in vain before staff is asked. */
export const inquiryLimit =
  renewalInquiries.whileTheCustomerWaits.limit + renewalInquiries.inTheBackground.limit;

/** When the registrar is asked again after so many questions in vain. */
export function nextInquiryAt(attempts: number, at: string): string {
  const { whileTheCustomerWaits: brief, inTheBackground: patient } = renewalInquiries;
  return attempts < brief.limit
    ? nextAttemptAt(brief, attempts, at)
    : nextAttemptAt(patient, attempts - brief.limit + 1, at);
}
