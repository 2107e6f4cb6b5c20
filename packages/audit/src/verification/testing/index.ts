export { bundleSigner, noteOf, ownMetadata, rightEvents, rightLog } from "../right-log.fixture.ts";
