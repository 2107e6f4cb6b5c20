export { creditTransferFile } from "./pain.ts";
export { keyedBookings, contentHashOf, type RecognisedBooking } from "./booking-keys.ts";
export { StatementFileError, statementFileLimits } from "./camt-element.ts";
export { readStatements } from "./camt.ts";
