import { describeAuditBundle } from "./audit-bundle.fixture.ts";

// As many as make a second level of tiles; `audit-bundle.long` has the volume.
describeAuditBundle(1_000);
