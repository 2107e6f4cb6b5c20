import { runRoleOf, type EventRole } from "@hostledger/core";
import { bareType, originOf, type Event } from "../event.ts";
import { sentenceOf } from "../timeline/sentence-of.ts";

/** Kinds of steps from the request to the end. */
export const stepKinds = ["request", "charge", "order", "zone", "delivery", "refund", "other"] as const;

export type StepKind = (typeof stepKinds)[number];

export interface ExplanationStep {
  readonly kind: StepKind;
  readonly text: string;
  readonly event: Event;
  readonly actor: string;
  readonly requestId: string | undefined;
}

/** Events after which the customer has received the purchase. */
export const deliveries: ReadonlySet<string> = new Set([
  "DomainRegistered",
  "DomainTransferredIn",
  "DomainRenewed",
  "ServerProvisioned",
  "ServerRenewed",
]);

/** Event types by kind of step, except events of runs, which are classified by their roles. */
const eventsByKind: Readonly<Record<Exclude<StepKind, "other">, readonly string[]>> = {
  request: ["RequestBegun"],
  charge: ["BalanceCharged", "BalanceCredited", "InvoiceIssued"],
  order: ["RegistrationReserved", "TransferReserved", "DomainRenewalStarted", "ServerOrdered"],
  zone: [
    "ZoneCreated",
    "ZoneCreationFailed",
    "ZoneDelivered",
    "ZoneAttemptFailed",
    "ZoneFailureRecorded",
    "DelegationCompleted",
    "DelegationRefused",
    "DelegationUnanswered",
    "NameserversChanged",
    "NameserversRefused",
  ],
  delivery: [...deliveries],
  refund: ["RegistrationRefunded", "ChargeRefunded", "RefundGranted", "CorrectionIssued", "ReceiptCancelled"],
};

/** Roles of a run's events at its provider, from the first event to the answer or cancellation. */
const orderRoles: ReadonlySet<EventRole | undefined> = new Set([
  "begun",
  "prepared",
  "done",
  "refused",
  "pending",
  "unanswered",
  "inquiryFailed",
  "notHeld",
  "resumed",
  "cancellationDue",
  "cancelled",
]);

const kinds: ReadonlyMap<string, StepKind> = new Map(
  stepKinds.flatMap((kind) =>
    kind === "other" ? [] : eventsByKind[kind].map((type) => [type, kind] as const),
  ),
);

function kindOf(event: Event): StepKind {
  const type = bareType(event);
  const role = runRoleOf(type);
  return kinds.get(type) ?? (role === "charged" ? "charge" : orderRoles.has(role) ? "order" : "other");
}

export function stepsOf(events: readonly Event[], cause: string): readonly ExplanationStep[] {
  const ordered = events.toSorted((left, right) => byTime(left, right, cause));
  const [first] = ordered;
  const steps = ordered.map((event) => step(kindOf(event), sentenceOf(event), event));
  return first === undefined || kindOf(first) === "request" ? steps : [requestStep(first), ...steps];
}

/** Describes a request without an idempotency key, which has no event, from the first event that it caused. */
function requestStep(first: Event): ExplanationStep {
  const { actor, requestId } = originOf(first);
  const who = actor === "" ? "Somebody" : actor;
  return step(
    "request",
    requestId === undefined
      ? `${who} began this without a request.`
      : `${who} sent the request ${requestId}.`,
    first,
  );
}

function step(kind: StepKind, text: string, event: Event): ExplanationStep {
  const { actor, requestId } = originOf(event);
  return { kind, text, event, actor, requestId };
}

/** Sorts by storage time, then by revision; the run's own event comes last, because it records the others' results. */
function byTime(left: Event, right: Event, cause: string): number {
  if (left.time !== right.time) return left.time < right.time ? -1 : 1;
  if (left.stream === right.stream) return left.revision < right.revision ? -1 : 1;
  return Number(left.stream === cause) - Number(right.stream === cause);
}
