import { settings } from "@hostledger/runtime";
import { z } from "zod";

/** Limits of the reminders of a debt. */
const most = { reminders: 10, days: 365 };

const rule = `must be up to ${String(most.reminders)} whole numbers from 1 to ${String(most.days)}, each above the one before, such as 3,10,20; or none`;

const days = z
  .string()
  .transform((list) => (list === "none" ? [] : list.split(",").map((one) => one.trim())))
  .pipe(
    z.array(
      z
        .string()
        .regex(/^[1-9]\d{0,2}$/, rule)
        .transform(Number),
    ),
  )
  .refine((all) => all.length <= most.reminders, rule)
  .refine((all) => all.every((one, at) => one <= most.days && one > (all[at - 1] ?? 0)), rule);

export const debtSettings = {
  debtReminderDays: days.default([3, 10, 20]).register(settings, {
    variable: "HOSTLEDGER_DEBT_REMINDER_DAYS",
    meaning: "days of debt after which a customer is reminded, such as 3,10,20; none: no reminders",
  }),
};
