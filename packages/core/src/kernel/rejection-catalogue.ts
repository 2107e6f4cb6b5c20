import { moneyRejections } from "./money-rejections.ts";

/**
 * The closed catalogue of rejections; REST writes its codes with underscores. A rejection is a returned value, never an exception.
 * The edge maps each code to a Connect code and an HTTP status; `docs/reference/errors.md` is generated from this table.
 */
export const rejectionCatalogue = {
  "validation-failed": {
    sentence: "The request has a field that breaks its rule.",
    clientAction: "Correct the fields named in `errors` and send the request again.",
  },
  "malformed-request": {
    sentence: "The request could not be read.",
    clientAction: "Send a JSON object in UTF-8.",
  },
  "unsupported-media-type": {
    sentence: "The body is not application/json.",
    clientAction: "Send `Content-Type: application/json`.",
  },
  "expectation-failed": {
    sentence: "The server does not support the request's header `Expect`.",
    clientAction: "Leave the header `Expect` out, or send `Expect: 100-continue`.",
  },
  "payload-too-large": {
    sentence: "The body is larger than 64 KiB.",
    clientAction: "Send a smaller body.",
  },
  "precondition-failed": {
    sentence: "The condition in `If-Match` or `If-None-Match` is not met.",
    clientAction: "Read the resource again, and send the request with the new `ETag`.",
  },
  "not-found": {
    sentence: "There is no such resource.",
    clientAction: "Check the path and the id.",
  },
  "method-not-allowed": {
    sentence: "The path does not support this method.",
    clientAction: "Use one of the methods in the `Allow` header.",
  },
  unauthenticated: {
    sentence: "The API key is missing, malformed, expired or revoked.",
    clientAction: "Send a valid key as `Authorization: <API_KEY>`.",
  },
  unauthorized: {
    sentence: "This action is unauthorized.",
    clientAction: "Act on resources of your own account only.",
  },
  "missing-scope": {
    sentence: "The API key lacks a scope that this call needs.",
    clientAction: "Use a key that has the scope named in `scope`.",
  },
  "address-not-allowed": {
    sentence: "The API key may not be used from this address.",
    clientAction: "Call from one of the key's addresses, or make a key without that limit.",
  },
  "approval-required": {
    sentence: "Another member of staff has to approve this.",
    clientAction: "Have another person run `hostledger admin approvals approve ID`.",
  },
  "account-not-open": {
    sentence: "The account does not exist or is closed.",
    clientAction: "Ask the provider's staff to open the account.",
  },
  "account-already-open": {
    sentence: "The account is open already.",
    clientAction: "Use the existing account.",
  },
  "profile-incomplete": {
    sentence: "The registry or the taxes of the order need data that the account's profile lacks.",
    clientAction: "Complete the fields named in `errors` with `PUT /account` and order again.",
  },
  ...moneyRejections,
  "api-key-not-found": {
    sentence: "There is no such API key.",
    clientAction: "List the account's keys.",
  },
  "too-many-api-keys": {
    sentence: "The account has as many API keys as it may have.",
    clientAction: "Revoke a key that is not needed any more.",
  },
  "too-many-webhooks": {
    sentence: "The account has as many webhooks as it may have.",
    clientAction: "Delete a webhook that is not needed any more.",
  },
  "url-not-allowed": {
    sentence: "Webhooks may not use this URL.",
    clientAction: "Name an http or https URL of a host on the Internet, without a user.",
  },
  "unsupported-extension": {
    sentence: "The extension is not in the price list.",
    clientAction: "Choose an extension from `GET /domains/pricing`.",
  },
  "domain-taken": {
    sentence: "The domain is already registered on the service.",
    clientAction: "Choose another name.",
  },
  "domain-not-available": {
    sentence: "The domain is not available.",
    clientAction: "Choose another name.",
  },
  "premium-name": {
    sentence: "The registry charges more than the price list says, so this name is not sold here.",
    clientAction: "Choose another name, or ask support for an offer.",
  },
  "not-transferable": {
    sentence: "The domain cannot be transferred: no other registrar holds it, or its registry forbids it.",
    clientAction: "Register a free name instead, or have its transfer lock lifted.",
  },
  "invalid-auth-code": {
    sentence: "The auth code is not valid for the domain.",
    clientAction: "Ask the present registrar for the domain's auth code.",
  },
  "registration-in-flight": {
    sentence: "Another registration for the same domain is in flight.",
    clientAction: "Try again after that registration has ended.",
  },
  "registration-not-found": {
    sentence: "The name has no such registration in progress.",
    clientAction: "Look the domain up; the registration may have ended.",
  },
  "registrar-failed": {
    sentence: "The registrar could not be reached or rejected the order. Nothing was charged.",
    clientAction: "Try again later; a payment already taken has been refunded to the balance.",
  },
  "registrar-unavailable": {
    sentence: "The registrar could not be reached.",
    clientAction: "Try again later.",
  },
  "registrar-refused": {
    sentence: "The registrar refused the change.",
    clientAction: "Check the values against the registry's rules and try again.",
  },
  "change-in-flight": {
    sentence: "Another change of the domain is in flight.",
    clientAction: "Try again after that change has ended.",
  },
  "renewal-in-flight": {
    sentence: "Another renewal of the domain is in flight.",
    clientAction: "Try again after that renewal has ended.",
  },
  "domain-not-active": {
    sentence: "The domain's status does not allow this change.",
    clientAction: "Read the domain's status; ask support about a suspended domain, renew an expired one.",
  },
  "domain-not-renewable": {
    sentence: "The domain cannot be renewed in its present state.",
    clientAction: "Ask support what its status allows.",
  },
  "not-restorable": {
    sentence: "The domain cannot be restored.",
    clientAction: "Read `hold_begins_at` and `deletes_at`; ask support what restorations cost.",
  },
  "custom-nameservers": {
    sentence: "The domain uses custom nameservers: its DNS is not managed here.",
    clientAction: "Switch to the service's nameservers first.",
  },
  "zone-not-ready": {
    sentence: "The domain's DNS zone does not exist yet.",
    clientAction: "Try again later; the zone is being created.",
  },
  "protected-record": {
    sentence: "The apex NS records are the service's own and cannot be changed.",
    clientAction: "Switch the nameservers with `PUT /domains/{domain}/nameservers` instead.",
  },
  "dns-unavailable": {
    sentence: "The DNS server could not be reached or refused the change.",
    clientAction: "Try again later.",
  },
  "out-of-stock": {
    sentence: "The plan is out of stock in this region.",
    clientAction: "Choose another plan or region from `GET /stock`.",
  },
  "plan-not-found": {
    sentence: "There is no such plan.",
    clientAction: "Choose a plan from `GET /plans`.",
  },
  "region-not-found": {
    sentence: "There is no such region.",
    clientAction: "Choose a region from `GET /regions`.",
  },
  "server-not-active": {
    sentence: "The server is not ready for this action.",
    clientAction: "Read the server's status; a new server is ready within minutes.",
  },
  "server-held": {
    sentence: "The provider's staff hold the server: it cannot be renewed or ended until they release it.",
    clientAction: "Read `reason`, and ask support what must happen before they release it.",
  },
  "firewall-locked": {
    sentence: "Only whitelisted servers may disable the firewall.",
    clientAction: "Ask the provider's staff to whitelist the server.",
  },
  "protected-port": {
    sentence: "The rule is the provider's own and cannot be removed.",
    clientAction: "Leave the rules with `provider` true in place.",
  },
  "firewall-changed": {
    sentence: "The firewall's rules have changed since they were read.",
    clientAction: "Read the rules again and find the new position of the rule.",
  },
  "order-not-found": {
    sentence: "There is no such order in progress.",
    clientAction: "Look the server up; the order may have ended.",
  },
  "order-completed": {
    sentence: "The order has been carried out: its server exists.",
    clientAction: "Look the server up.",
  },
  "compute-failed": {
    sentence: "The server could not be provisioned. Nothing was charged.",
    clientAction: "Try again later; a payment already taken has been refunded to the balance.",
  },
  "compute-unavailable": {
    sentence: "The server's node could not be reached.",
    clientAction: "Try again later.",
  },
  "ticket-closed": {
    sentence: "The ticket was closed before: nothing was changed.",
    clientAction: "Open a new ticket.",
  },
  "idempotency-conflict": {
    sentence: "The Idempotency-Key was used with another request.",
    clientAction: "Use a new key for another request.",
  },
  "request-in-progress": {
    sentence: "The first request with this Idempotency-Key is still running.",
    clientAction: "Try again after it has been answered.",
  },
  "run-not-found": {
    sentence: "There is no such process run.",
    clientAction: "List the runs.",
  },
  "run-not-parked": {
    sentence: "The process run is not parked.",
    clientAction: "Wait: an unfinished run continues by itself.",
  },
  "projection-not-found": {
    sentence: "There is no such read model.",
    clientAction: "See `hostledger projections status`.",
  },
  "rate-limited": {
    sentence: "Too many requests.",
    clientAction: "Wait as long as `Retry-After` says.",
  },
  "quota-exceeded": {
    sentence: "The account has used up a quota, which `quota` names.",
    clientAction: "Wait as long as `Retry-After` says, or ask the provider's staff for a larger quota.",
  },
  overloaded: {
    sentence: "The service is busy and did not take the request. Nothing was changed.",
    clientAction: "Try again after `Retry-After` seconds.",
  },
  "temporarily-unavailable": {
    sentence: "The service cannot reach its event store.",
    clientAction: "Send the same request again, under the same Idempotency-Key, after `Retry-After` seconds.",
  },
  "store-rewound": {
    sentence: "The event store was restored from an older backup. Nothing is written until staff accept it.",
    clientAction: "Send the same request again after `Retry-After` seconds; reading works meanwhile.",
  },
  "record-unreadable": {
    sentence: "A stored event that the request needs cannot be read. The staff are told about that event.",
    clientAction: "Repeat it under its Idempotency-Key after `Retry-After` seconds; other requests work.",
  },
  "deadline-exceeded": {
    sentence: "The request took too long. Its work may continue in the background.",
    clientAction: "Read the resource before you try again.",
  },
  "proof-pending": {
    sentence: "No signed checkpoint of the audit log covers the document yet.",
    clientAction: "Ask again in a few seconds; a checkpoint is signed every second while the log grows.",
  },
  "document-damaged": {
    sentence: "The stored file of the document is damaged, so it is not handed out. The staff are told.",
    clientAction: "Ask the provider's staff for the document.",
  },
  "audit-fault": {
    sentence: "The event store and the audit log do not agree, or the log cannot continue.",
    clientAction: "Run `hostledger audit verify --live`, and show the operator what it finds.",
  },
  internal: {
    sentence: "Internal error.",
    clientAction: "Try again; give the request id to support if it persists.",
  },
} as const satisfies Record<string, { readonly sentence: string; readonly clientAction: string }>;

export type RejectionCode = keyof typeof rejectionCatalogue;
