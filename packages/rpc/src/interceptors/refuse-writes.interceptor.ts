import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Interceptor } from "@connectrpc/connect";
import { rejection } from "@hostledger/core";
import { admin, audit } from "@hostledger/protocol";

import { rejectionError } from "../errors/rejection-error.ts";

/** How long a refused caller waits, in seconds: a person has to act first. */
const retryAfterSeconds = 60;

/** Staff mend the state by these, and auditors change nothing of customers. */
const alwaysAnswered: ReadonlySet<string> = new Set([
  admin.ClockAdminService.typeName,
  admin.ProjectionAdminService.typeName,
  admin.StoreAdminService.typeName,
  audit.AuditService.typeName,
]);

/**
 * Refuses calls that change something before any of their effects, a provider's among them.
 * @param isRefusing true while the event store is an older copy that staff have not accepted.
 */
export function refuseWritesInterceptor(isRefusing: () => boolean): Interceptor {
  return (next) => (request) => {
    const isRead = request.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    if (!isRead && !alwaysAnswered.has(request.service.typeName) && isRefusing())
      throw rejectionError(rejection("store-rewound", undefined, { retryAfterSeconds }));
    return next(request);
  };
}
