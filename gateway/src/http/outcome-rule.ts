import type { Rejection } from "./refusal.ts";

/**
 * What becomes of an `Idempotency-Key` when its request is refused.
 *
 * - `release`: the request had no effect; the key may be used again, for anything.
 * - `keep`: the request had an effect, which was then undone; the refusal is its outcome, and every repeat gets it.
 * - `leave-open`: what the request did, or may still do, is not known. The key stays claimed: a repeat runs the
 *   same operation again, whose services find what it did before.
 */
export type OutcomeRule = "release" | "keep" | "leave-open";

/** The rule of a refusal: what a service says of its effect counts before what is usual for its code. */
export function outcomeRuleOf({ code, detail }: Rejection): OutcomeRule {
  return detail?.hadNoEffect === true ? "release" : outcomeRule[code];
}

/** The usual rule of every refusal; it does not compile while one is missing (contract, "Conventions"). */
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

  // Money was taken, and given back (unless the refusal says that nothing had happened yet): to run such a request again would take it again.
  "registrar-failed": "keep",
  "not-transferable": "keep",
  "invalid-auth-code": "keep",
  "compute-failed": "keep",

  // A party that could not be reached may have carried out what it was asked.
  "registrar-unavailable": "leave-open",
  "dns-unavailable": "leave-open",
  "compute-unavailable": "leave-open",
  "deadline-exceeded": "leave-open",
  "audit-fault": "leave-open",
  internal: "leave-open",
  // One of several calls of a request may have been turned away after others were carried out. The same request under the
  // same key is run again either way, so nothing is lost by being careful.
  overloaded: "leave-open",
  // The event store may have stored what it did not acknowledge.
  "temporarily-unavailable": "leave-open",
  // What an earlier call of the same request wrote stays.
  "store-rewound": "leave-open",
  "record-unreadable": "leave-open",
  // The token under which the gateway calls ran out while the request ran.
  unauthenticated: "leave-open",
};
