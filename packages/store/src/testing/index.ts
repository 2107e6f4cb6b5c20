export {
  collect,
  isCaughtUp,
  listen,
  newCategory,
  newEvent,
  newEvents,
} from "../contract/contract-fixtures.ts";
export { openTestStore } from "../embedded/test-store.fixture.ts";
export { AccountsFixture, type Charge } from "../commands/accounts.fixture.ts";
export { namedInstallation } from "../commands/named-installation.fixture.ts";
export { allEvents, transferFolder, writeLog } from "../transfer/random-log.fixture.ts";
