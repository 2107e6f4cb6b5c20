import { describeAuditBundle } from "./audit-bundle.fixture.ts";

describeAuditBundle(10_000);
