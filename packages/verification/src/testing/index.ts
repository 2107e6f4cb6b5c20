/** Logs that are right, for tests and benchmarks of whoever verifies. */
export { bundleSigner, noteOf, rightEvents, rightLog, type RightLog } from "../right-log.fixture.ts";
