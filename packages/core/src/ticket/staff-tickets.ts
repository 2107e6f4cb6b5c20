import { onOneLine } from "../kernel/foreign-text.ts";
import type { UnreadableKind } from "../kernel/unreadable-event-error.ts";
import { formatEuros } from "../money/money.ts";
import { providerWords, ticket, type StaffTicket } from "./staff-ticket.ts";

interface AboutDomain {
  readonly domainId: number;
  readonly name: string;
}

interface AboutMessage {
  readonly registrar: string;
  readonly messageId: string;
  readonly words: string;
}

/** Month or day of an instant, for causes that may occur again. */
const monthOf = (at: string): string => at.slice(0, 7);
const dayOf = (at: string): string => at.slice(0, 10);

/**
 * The tickets that services open for staff without an event of an aggregate: blocked work, and findings at a provider or in
 * the store. Customers do not see these tickets. `docs/reference/causes.md` lists them.
 *
 * `at` is the time of the request. Its day or month is part of a recurring cause, so each day or month gets a ticket.
 */
export const staffTickets = {
  eventStoreDamaged: (sentence: string, place: string, at: string): StaffTicket =>
    ticket("emergency", {
      cause: `scrub-${place}-${dayOf(at)}`,
      title: "The event store is not as it was recorded",
      message: `${sentence} Keep a copy of the data directory as it is, then see "StoreDamaged" in docs/runbook.md.`,
    }),

  documentDamaged: (sentence: string, at: string): StaffTicket =>
    ticket("emergency", {
      cause: `documentdamaged-${dayOf(at)}`,
      title: "An archived document is not as it was stored",
      message:
        `${sentence} Nobody can download it. Others that are found on the same day have no ticket of their own: the log names them. ` +
        'Restore the file from a backup: see "DocumentsDamaged" in docs/runbook.md.',
    }),

  storeRewound: (stream: string, rewindId: string): StaffTicket =>
    ticket("emergency", {
      cause: `rewind-${rewindId}`,
      title: "The event store was restored from an older backup",
      message:
        `A process had seen events of ${stream} that the event store now lacks. Writes that cost money were refused until staff ` +
        'accepted the store. Compare the books with banks and providers: see "StoreRewound" in docs/runbook.md.',
    }),

  streamStopped: ({
    stream,
    revision,
    kind,
    reason,
    readModels,
    cause,
  }: {
    readonly stream: string;
    readonly revision: bigint;
    readonly kind: UnreadableKind;
    readonly reason: string;
    readonly readModels: readonly string[];
    readonly cause: string;
  }): StaffTicket =>
    ticket("emergency", {
      cause,
      title:
        kind === "newer"
          ? `${onOneLine(stream)} waits for a newer version of Hostledger`
          : `An event of ${onOneLine(stream)} cannot be read`,
      message:
        `${reason}\nThe stream stands still before this event, in ${readModels.join(", ")} and for everything that is decided there. ` +
        "Nothing else is concerned. " +
        (kind === "newer"
          ? "A newer version of Hostledger wrote it: upgrade this process, and the stream goes on by itself."
          : `Find out who wrote it: see "StreamStopped" in docs/runbook.md. ` +
            `\`hostledger projections mend ${onOneLine(stream)} ${String(revision)} --reason TEXT\` has it passed over everywhere.`),
    }),

  auditLogLost: (sentence: string, at: string): StaffTicket =>
    ticket("emergency", {
      cause: `auditloglost-${dayOf(at)}`,
      title: "The audit log is lost, and nothing is signed",
      message: `${sentence} Check first whether the events are unchanged: see "AuditLogStopped" in docs/runbook.md.`,
    }),

  auditLogDamaged: (sentence: string, at: string): StaffTicket =>
    ticket("emergency", {
      cause: `auditlogdamaged-${dayOf(at)}`,
      title: "A file of the audit log was lost or changed",
      message: `${sentence} Events are still being signed. See "AuditLogFailing" in docs/runbook.md.`,
    }),

  domainNotEnded: ({ domainId, name }: AboutDomain, why: string, at: string): StaffTicket =>
    ticket("normal", {
      cause: `domainend-${String(domainId)}-${monthOf(at)}`,
      title: `${name} cannot be deleted at its end`,
      message:
        `Nobody renewed ${name}, and its time is over. ${why}. It stays in its customer's list as expired, and is tried again ` +
        "every hour. Compare the name with the registrar's: cancel it there, or renew it here.",
    }),

  renewalYearsLate: ({
    domainId,
    name,
    expiresAt,
  }: AboutDomain & { readonly expiresAt: string }): StaffTicket =>
    ticket("normal", {
      cause: `laterenewal-${String(domainId)}-${dayOf(expiresAt).replaceAll("-", "")}`,
      title: `The automatic renewal of ${name} is years late`,
      message:
        `${name} renews itself, and its books end on ${dayOf(expiresAt)}: nobody renewed it for more than a year. Nothing was charged. ` +
        "Ask the registrar what became of it. If it is still there for its customer, " +
        `"hostledger admin domain catch-up ${name}" has the years charged one after the other; else turn its automatic renewal off.`,
    }),

  suspensionRefused: (
    { domainId, name, suspended }: AboutDomain & { readonly suspended: boolean },
    why: string,
    at: string,
  ): StaffTicket =>
    ticket("normal", {
      cause: `suspension-${String(domainId)}-${suspended ? "hold" : "release"}-${monthOf(at)}`,
      title: `${name} is ${suspended ? "suspended, and still resolves" : "no longer suspended, and does not resolve"}`,
      message:
        `A provider refuses what the suspension of ${name} asks: ${why}. It is asked again after pauses of up to an hour. ` +
        "Set or lift the hold at the registrar by hand, or have suspended domains kept offline by their zone (HOSTLEDGER_SUSPENDED_BY).",
    }),

  signersRefused: ({ domainId, name }: AboutDomain, why: string, at: string): StaffTicket =>
    ticket("normal", {
      cause: `signers-${String(domainId)}-${monthOf(at)}`,
      title: `The registry refuses the DS records of ${name}`,
      message:
        `The DNS server signs ${name}, and its registry refuses the DS records: ${providerWords(why)}\n` +
        "The name answers without DNSSEC. Mend what the registry says, then `hostledger reconcile --fix` hands them over.",
    }),

  domainNotHeld: (
    { domainId, name, expiresAt }: AboutDomain & { readonly expiresAt: string },
    at: string,
  ): StaffTicket =>
    ticket("emergency", {
      cause: `holding-${String(domainId)}-${monthOf(at)}`,
      title: `The registrar does not hold ${name}`,
      message:
        `${name} is registered in our books until ${dayOf(expiresAt)}, ` +
        "and its registrar said twice that it does not hold it. " +
        "Ask the registrar what became of it, before its customer asks us.",
    }),

  registryUnread: (registrar: string, times: number, why: string, at: string): StaffTicket =>
    ticket("normal", {
      cause: `registrymessages-unread-${registrar}-${dayOf(at)}`,
      title: `The messages of the registry behind ${registrar} are not read`,
      message:
        `Its queue of messages could not be read ${String(times)} times in a row: ${why} ` +
        "What it says of transfers and renewals is not known here until it can be; `hostledger reconcile` compares the books meanwhile.",
    }),

  registryNotUnderstood: ({ registrar, messageId, words }: AboutMessage, at: string): StaffTicket =>
    ticket("normal", {
      cause: `registrymessage-${registrar}-${dayOf(at)}`,
      title: `A message of the registry behind ${registrar} needs a person`,
      message:
        `It said in message ${messageId}, about no name that is understood here: "${words}"\n` +
        "It was taken off the queue, as others of this day may have been that have no ticket of their own: " +
        "each is an event, RegistryMessageReceived.",
    }),

  registryNotFollowed: (
    {
      registrar,
      messageId,
      words,
      about,
      name,
    }: AboutMessage & { readonly about: string; readonly name: string },
    attempts: number,
  ): StaffTicket =>
    ticket("normal", {
      cause: `registrymessage-${registrar}-${messageId}`,
      title: `The registry's message about ${name} could not be processed`,
      message:
        `The registry behind ${registrar} said in message ${messageId} of ${name} (${about}): "${words}"\n` +
        `${String(attempts)} attempts came to nothing: the registrar does not answer, or work on the name is in progress. ` +
        "The message was removed from the queue, because others wait behind it. Compare the name with the registrar's, then `hostledger reconcile`.",
    }),

  registryStranger: ({
    registrar,
    messageId,
    words,
    about,
    name,
  }: AboutMessage & { readonly about: string; readonly name: string }): StaffTicket =>
    ticket("normal", {
      cause: `registrystranger-${registrar}-${name}`,
      title: `The registry speaks of ${name}, which is not in our books`,
      message: `The registry behind ${registrar} said in message ${messageId} of ${name} (${about}): "${words}" No account ever had that name. Ask the registry.`,
    }),

  serverNotDestroyed: ({
    serverId,
    machine,
    node,
    ipAddress,
  }: {
    readonly serverId: number;
    readonly machine: string;
    readonly node: string;
    readonly ipAddress: string;
  }): StaffTicket =>
    ticket("emergency", {
      cause: `termination-${String(serverId)}`,
      title: `${machine} cannot be destroyed`,
      message:
        `Server ${String(serverId)} has ended, and the compute provider does not destroy its machine ${machine} ` +
        `on ${node} at ${ipAddress}. It is tried again until it is gone; its unit comes back then.`,
    }),

  /** @param reason short name of the fault, equal for all calls that fail because of the fault. */
  providerRefuses: (
    { provider, code, reason, words }: Readonly<Record<"provider" | "code" | "reason" | "words", string>>,
    at: string,
  ): StaffTicket =>
    ticket("emergency", {
      cause: `refusal-${provider}-${code}-${reason}-${dayOf(at)}`,
      title: `${provider} refuses what only staff can mend: ${code}`,
      message:
        `The provider ${provider} answered: ${providerWords(words)}\n` +
        "Customers read only that their order failed, and have their money back. A deposit that is used up, a login that is refused, a missing field and a " +
        "policy are the operator's to settle with the provider. The log has each call that is refused so; this ticket is one a day.",
    }),

  /** @param work id of the work as in `admin runs list`, or of its resource. */
  workNotDone: (
    { work, about }: { readonly work: string; readonly about: string },
    why: string,
  ): StaffTicket =>
    ticket("normal", {
      cause: `unanswered-${work}`,
      title: `Work on ${about} makes no progress`,
      message:
        `${work} was tried for ${about} repeatedly, and fails with: ${providerWords(why)}\n` +
        "It is tried again automatically, at growing intervals of up to an hour. `hostledger admin runs list` shows the state of runs.",
    }),

  payoutCameBack: ({
    accountId,
    reference,
    amountCents,
    reason,
  }: Readonly<
    Record<"reference" | "reason", string> & { accountId: number; amountCents: bigint }
  >): StaffTicket =>
    ticket("normal", {
      cause: `payoutreturned-${reference}`,
      title: `The payout ${reference} of an erased account came back`,
      message:
        `${reason} It is the payout ${reference} of ${formatEuros(amountCents)} EUR. Account ${String(accountId)} was erased, so nothing is credited: ` +
        "the money waits on the suspense account (`hostledger bank list --status parked`). `hostledger bank payouts` has the IBAN of the payout. " +
        "Find out where the money belongs and send it there at the bank, then `hostledger bank return`.",
    }),

  /** @param keys names of the first missing keys. @param count number of all missing keys. */
  keysMissing: (keys: readonly string[], count: number, cause: string): StaffTicket =>
    ticket("emergency", {
      cause,
      title:
        count === 1
          ? `The key of personal data of ${keys.join(", ")} is missing`
          : `${String(count)} keys of personal data are missing`,
      message:
        `What was written about ${keys.join(", ")}${count > keys.length ? " and others" : ""} does not open and reads "[not available]"; nothing can ` +
        "be written about them. Nobody else is concerned. Bring the keys back from a backup; a key that is gone for good " +
        "is declared with `hostledger admin account key-lost ID`. See docs/runbook.md, PersonalDataKeyMissing.",
    }),

  /** @param cause from `causeOfDifference`. */
  difference: (
    {
      kind,
      resource,
      expected,
      found,
      action,
    }: Readonly<Record<"kind" | "resource" | "expected" | "found" | "action", string>>,
    cause: string,
  ): StaffTicket =>
    ticket("emergency", {
      cause,
      title: `Books and provider differ: ${kind} ${resource}`,
      message: `Of ${resource} the books say: ${expected}. The provider has: ${found}. ${action}`,
    }),
} as const;
