import type { Rejection } from "./refusal.ts";

/**
 * Effect of a refusal on its `Idempotency-Key`.
 *
 * - `release`: the request had no effect; the key may be used again for any request.
 * - `keep`: the request had an effect that was undone; every repeat gets the stored refusal.
 * - `leave-open`: the effect is unknown. The key stays claimed; a repeat runs the operation again, and the services
 *   find their earlier work.
 */
export type OutcomeRule = "release" | "keep" | "leave-open";

/** Returns the rule of a refusal; a service's `hadNoEffect` overrides the rule of the code. */
export function outcomeRuleOf({ code, detail }: Rejection): OutcomeRule {
  return detail?.hadNoEffect === true ? "release" : outcomeRule[code];
}

/** Default rule of every refusal code (contract, "Conventions"); a missing code does not compile. */
const outcomeRule: Readonly<Record<Rejection["code"], OutcomeRule>> = {
  "validation-failed": "release",
  "malformed-request": "release",
  "unsupported-media-type": "release",
  "payload-too-large": "release",
  "expectation-failed": "release",
  "precondition-failed": "release",
  "not-found": "release",
  "method-not-allowed": "release",
  unauthorized: "release",
  "missing-scope": "release",
  "address-not-allowed": "release",
  "approval-required": "release",
  "account-not-open": "release",
  "account-already-open": "release",
  "profile-incomplete": "release",
  "insufficient-balance": "release",
  "charge-conflict": "release",
  "reference-conflict": "release",
  "charge-not-found": "release",
  "api-key-not-found": "release",
  "too-many-api-keys": "release",
  "too-many-webhooks": "release",
  "url-not-allowed": "release",
  "unsupported-extension": "release",
  "domain-taken": "release",
  "domain-not-available": "release",
  "premium-name": "release",
  "registration-in-flight": "release",
  "registration-not-found": "release",
  "registrar-refused": "release",
  "change-in-flight": "release",
  "renewal-in-flight": "release",
  "domain-not-active": "release",
  "domain-not-renewable": "release",
  "not-restorable": "release",
  "custom-nameservers": "release",
  "zone-not-ready": "release",
  "protected-record": "release",
  "out-of-stock": "release",
  "plan-not-found": "release",
  "region-not-found": "release",
  "server-not-active": "release",
  "server-held": "release",
  "firewall-locked": "release",
  "protected-port": "release",
  "firewall-changed": "release",
  "order-not-found": "release",
  "order-completed": "release",
  "ticket-closed": "release",
  "idempotency-conflict": "release",
  "request-in-progress": "release",
  "run-not-found": "release",
  "run-not-parked": "release",
  "projection-not-found": "release",
  "rate-limited": "release",
  "quota-exceeded": "release",

  // Money was charged and refunded, unless the service reports no effect; a second run would charge again.
  "registrar-failed": "keep",
  "not-transferable": "keep",
  "invalid-auth-code": "keep",
  "compute-failed": "keep",

  // An unreachable provider may have carried out the call.
  "registrar-unavailable": "leave-open",
  "dns-unavailable": "leave-open",
  "compute-unavailable": "leave-open",
  "deadline-exceeded": "leave-open",
  "audit-fault": "leave-open",
  internal: "leave-open",
  // A request may make several calls and only the last was refused. Repeating with the key is safe either way.
  overloaded: "leave-open",
  // The event store may have stored events without acknowledging them.
  "temporarily-unavailable": "leave-open",
  // Events of an earlier call of the request remain.
  "store-rewound": "leave-open",
  "record-unreadable": "leave-open",
  // The gateway's token expired during the request.
  unauthenticated: "leave-open",
};
