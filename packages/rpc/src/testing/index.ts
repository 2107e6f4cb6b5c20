/** For specs of services: who calls them, what they are refused with, and an account service in memory. */
export { AccountsFixture, type Charge } from "./accounts.fixture.ts";
export { refusalOf, specCallers, type SpecCallers } from "./callers.fixture.ts";
