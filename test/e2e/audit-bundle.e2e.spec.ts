import { describeAuditBundle } from "./audit-bundle.fixture.ts";

// Thousands of events, which make a second level of tiles; `audit-bundle.long` has the volume.
describeAuditBundle(300);
