import { terminationDaysLimits } from "@hostledger/core";
import { settings, wholeNumber } from "@hostledger/runtime";

const { minimum, maximum, default: usual } = terminationDaysLimits;

export const serverSettings = {
  terminationDays: wholeNumber(minimum, maximum).default(usual).register(settings, {
    variable: "HOSTLEDGER_TERMINATION_DAYS",
    meaning: "days between the expiry of a server and the destruction of its machine",
  }),
};
