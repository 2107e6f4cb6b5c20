import { z } from "zod";

import type { EventVersions } from "../kernel/event-codec.ts";
import { idField, instantField } from "../kernel/fields.ts";
import type { DomainStatusEvent } from "./domain-status.ts";

/** The shapes that the events of staff's word have had, oldest first. */
export const statusVersions: Readonly<Record<DomainStatusEvent["type"], EventVersions>> = {
  DomainSuspended: { schemas: [z.strictObject({ domainId: idField, suspendedAt: instantField })] },
  DomainUnsuspended: { schemas: [z.strictObject({ domainId: idField, unsuspendedAt: instantField })] },
  DomainTransferStarted: { schemas: [z.strictObject({ domainId: idField, startedAt: instantField })] },
  DomainTransferEnded: { schemas: [z.strictObject({ domainId: idField, endedAt: instantField })] },
};
