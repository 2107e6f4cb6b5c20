import { addMilliseconds } from "../calendar/calendar.ts";
import { reject, type Decision } from "../kernel/decider.ts";

/** Maximum days between announcement and effect of a price: five years. */
export const longestAnnouncementDays = 1_826;

/** Refuses an invalid effective date of announced prices; returns undefined for a valid date. */
export function refuseAnnouncement(validFrom: string, at: string): Decision<never> | undefined {
  const latest = addMilliseconds(at, longestAnnouncementDays * 86_400_000);
  if (validFrom > at && validFrom <= latest) return undefined;
  const sentence = "Prices are announced for a time to come, five years ahead at most.";
  return reject("validation-failed", sentence, { fieldErrors: { valid_from: [sentence] } });
}
