import { counted, type DomainEvent, type EventOf, type runEvents, runEventOf } from "@hostledger/core";

import { renewalStarted } from "./domain.sentences.ts";
import { amount, type Sentences } from "./sentences.ts";

/** Sentences for events of processes whose role alone does not describe them. */
export const runSentences: Partial<Sentences<EventOf<typeof runEvents>>> = {
  RegistrationStarted: ({ name, years, accountId }) =>
    `The registration of ${name} for account ${String(accountId)}, for ${counted(years, "year")}, began.`,
  RegistrarOrderCompleted: ({ provider, expiresAt }) =>
    `The registrar (${provider}) carried out the order; the name expires at ${expiresAt}.`,
  RenewalRunStarted: renewalStarted,
  RenewalOrderCompleted: ({ expiresAt }) => `The registrar renewed the name until ${expiresAt}.`,
  TransferRunStarted: ({ name, accountId }) =>
    `The transfer of ${name} to us for account ${String(accountId)} began.`,
  ServerOrderStarted: ({ accountId, planTitle, months, regionCode }) =>
    `The order of a server (${planTitle}) in ${regionCode} for account ${String(accountId)}, for ${counted(months, "month")}, began.`,
  ServerOrderRefused: ({ message }) => `Nothing was charged: ${message}`,
  ComputeOrderCompleted: ({ node, ipAddress }) => `The server was set up on ${node} as ${ipAddress}.`,
  ServerRenewalStarted: ({ accountId, serverId, months, grossCents }) =>
    `The renewal of server ${String(serverId)} for account ${String(accountId)}, for ${counted(months, "month")} at ${amount(grossCents)}, began.`,
  ServerRenewalRecorded: ({ expiresAt }) => `The server's renewal was recorded, until ${expiresAt}.`,
};

/** Describes a run's event by its role; undefined if the role adds nothing to the event's document. */
export function runSentence(event: DomainEvent): string | undefined {
  const auditedEvent = runEventOf(event);
  switch (auditedEvent?.role) {
    case "charged": {
      const { grossCents, invoiceId } = auditedEvent.data;
      return `The account was charged ${amount(grossCents)}, invoice id ${String(invoiceId)}.`;
    }
    case "declined":
      return `The account refused the charge: ${auditedEvent.data.message}`;
    case "returned":
      return `The charge was refunded, correction id ${String(auditedEvent.data.correctionId)}.`;
    case "refused":
      return `The order was refused: ${auditedEvent.data.reason}`;
    case "unanswered":
      return `The outcome of the order is unknown, so the provider is asked: ${auditedEvent.data.reason}`;
    case "inquiryFailed":
      return `The provider did not say how the order ended: ${auditedEvent.data.reason}`;
    case "suspended":
      return `The run waits for staff: ${auditedEvent.data.reason}`;
    case "abandoned":
      return `Staff ended the run: ${auditedEvent.data.reason}`;
    case "ended":
      return `The run ended: ${auditedEvent.data.outcome}.`;
    default:
      return undefined;
  }
}
