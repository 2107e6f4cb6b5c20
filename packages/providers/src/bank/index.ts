export { creditTransferFile } from "./pain.ts";
export { keyedBookings, contentHashOf, type RecognisedBooking } from "./booking-keys.ts";
export { readStatements, StatementFileError, statementFileLimits } from "./camt.ts";
