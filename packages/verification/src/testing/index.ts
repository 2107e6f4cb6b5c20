/** Logs that are right, for tests and benchmarks of whoever verifies. */
export {
  bundleSigner,
  noteOf,
  ownMetadata,
  rightEvents,
  rightLog,
  type RightLog,
} from "../right-log.fixture.ts";
