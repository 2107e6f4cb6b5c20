import { runRoleOf, type FactRole } from "@hostledger/core";
import { bareType, originOf, type Fact } from "../fact.ts";
import { sentenceOf } from "../timeline/sentence-of.ts";

/** What a step is in the picture from the request to the end. */
export const stepKinds = ["request", "charge", "order", "zone", "delivery", "refund", "other"] as const;

/** See {@link stepKinds}. */
export type StepKind = (typeof stepKinds)[number];

/** One step, with the fact that shows it. */
export interface ExplanationStep {
  readonly kind: StepKind;
  /** A sentence. */
  readonly text: string;
  readonly fact: Fact;
  /** Who acted, for example `account:7`. */
  readonly actor: string;
  /** The request that led to it. */
  readonly requestId: string | undefined;
}

/** Facts after which the customer has what the invoice is about. */
export const deliveries: ReadonlySet<string> = new Set([
  "DomainRegistered",
  "DomainTransferredIn",
  "DomainRenewed",
  "ServerProvisioned",
  "ServerRenewed",
]);

/** The facts that each kind of step is shown by, those of runs aside: what these are, their roles tell. */
const factsByKind: Readonly<Record<Exclude<StepKind, "other">, readonly string[]>> = {
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

/** What a run does at its provider, from its first fact to the answer or the cancellation. */
const orderRoles: ReadonlySet<FactRole | undefined> = new Set([
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
    kind === "other" ? [] : factsByKind[kind].map((type) => [type, kind] as const),
  ),
);

function kindOf(fact: Fact): StepKind {
  const type = bareType(fact);
  const role = runRoleOf(type);
  return kinds.get(type) ?? (role === "charged" ? "charge" : orderRoles.has(role) ? "order" : "other");
}

/** The facts as steps, in the order in which they happened. */
export function stepsOf(facts: readonly Fact[], cause: string): readonly ExplanationStep[] {
  const ordered = facts.toSorted((left, right) => byTime(left, right, cause));
  const [first] = ordered;
  const steps = ordered.map((fact) => step(kindOf(fact), sentenceOf(fact), fact));
  return first === undefined || kindOf(first) === "request" ? steps : [requestStep(first), ...steps];
}

/** A request without an idempotency key is no fact of its own: the first fact that it led to tells of it. */
function requestStep(first: Fact): ExplanationStep {
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

function step(kind: StepKind, text: string, fact: Fact): ExplanationStep {
  const { actor, requestId } = originOf(fact);
  return { kind, text, fact, actor, requestId };
}

/**
 * By the time of storing. Facts of one microsecond are of one stream, whose revisions tell, or the run's own one is the
 * later, since it records what the others answered.
 */
function byTime(left: Fact, right: Fact, cause: string): number {
  if (left.time !== right.time) return left.time < right.time ? -1 : 1;
  if (left.stream === right.stream) return left.revision < right.revision ? -1 : 1;
  return Number(left.stream === cause) - Number(right.stream === cause);
}
