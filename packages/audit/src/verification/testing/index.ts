export {
  bundleSigner,
  noteOf,
  ownMetadata,
  rightEvents,
  rightLog,
  type RightLog,
} from "../right-log.fixture.ts";
