import {
  asLine,
  domainRenewal,
  formatEuros,
  isCauseOfDifference,
  registration,
  serverOrder,
  serverRenewal,
  transferIn,
  type ClockJump,
  type MixedScripts,
  type TicketPriority,
} from "@hostledger/core";

/** What a ticket says that is opened for a cause. The customer reads it too: it speaks of what is theirs, never of our insides (but for those of staff alone). */
export interface TicketText {
  readonly title: string;
  readonly message: string;
  readonly priority: TicketPriority;
}

/** Characters of a DNS server's words in a ticket. */
const longestReason = 500;

/** Says that a zone is missing. @param reason of the event, as the adapter of the DNS server gave it. */
export function zoneText(name: string, reason: string): TicketText {
  return {
    title: `The DNS zone of ${name}`.slice(0, 255),
    message:
      `${name} is registered, but its DNS zone could not be created yet${publicReason(reason)} ` +
      "It is tried again by itself; we look after it until the domain resolves.",
    priority: "emergency",
  };
}

/** A refusal of the DNS server begins so, and may be read by customers. Other reasons name addresses of ours. */
function publicReason(reason: string): string {
  return /^The (?:DNS server|zone) /.test(reason) ? `: ${asLine(reason, longestReason, "")}` : ".";
}

const zoneIsThereText =
  "The zone is there now, with its default records: we made it as soon as our nameservers could take it. " +
  "You need not do anything, and the ticket is closed.";

const agreesAgainText =
  "The books and the provider agree again: it was looked at once more, and nothing differs. " +
  "Close this ticket when nothing else hangs on it; should it come back, there will be another.";

/** True where a ticket is closed once its cause has come to its end. Of books and providers that differed, staff decide. */
export function isClosedAtEnd(cause: string): boolean {
  return !isCauseOfDifference(cause);
}

/** Says, on the ticket of a cause that has come to its end, that it has. */
export function endText(cause: string): string {
  return isCauseOfDifference(cause) ? agreesAgainText : zoneIsThereText;
}

/** Says that a transfer came to nothing. */
export function transferText(name: string): TicketText {
  return {
    title: `The transfer of ${name} failed`.slice(0, 255),
    message:
      `${name} was not transferred to us: it stays with its present registrar, and its price is back on your balance. ` +
      "Ask that registrar for the reason, and order the transfer again when it is settled.",
    priority: "normal",
  };
}

/** Says that a change of a name was given up. */
export function abandonedChangeText(name: string): TicketText {
  return {
    title: `A change of ${name} was given up`.slice(0, 255),
    message:
      `You asked for a change of ${name}, and the registrar or the DNS server never told whether it was made. ` +
      "We ended it, so that the domain can be changed again. Look at the domain, and ask for what is missing once more.",
    priority: "normal",
  };
}

/** Says that a name is gone. */
export function departureText(name: string): TicketText {
  return {
    title: `${name} was transferred away`.slice(0, 255),
    message:
      `Another registrar holds ${name} now: it is no longer listed here, and we do not renew it any more. ` +
      "If you did not ask for this, tell us here at once: a transfer can be disputed for a short while only.",
    priority: "normal",
  };
}

/** Says, to staff alone, that the registry charges for what nobody has paid. */
export function registryRenewalText({
  name,
  expiresAt,
  previousExpiresAt,
}: {
  readonly name: string;
  readonly expiresAt: string;
  readonly previousExpiresAt: string;
}): TicketText {
  return {
    title: `The registry renewed ${name} by itself`.slice(0, 255),
    message:
      `${name} was paid for until ${previousExpiresAt.slice(0, 10)}, and its registry renewed it until ${expiresAt.slice(0, 10)}: ` +
      "the books follow, and nobody was charged. Charge its customer, or have the registry take it back while it does " +
      "(the auto-renew grace period of RFC 3915).",
    priority: "emergency",
  };
}

/** Says that a renewal is unpaid. @param requiredCents gross amount in cents (EUR), where it is known. */
export function unpaidRenewalText({
  name,
  expiresAt,
  requiredCents,
}: {
  readonly name: string;
  readonly expiresAt: string;
  readonly requiredCents: string | null;
}): TicketText {
  const price = requiredCents === null ? "" : ` It costs ${formatEuros(BigInt(requiredCents))} EUR.`;
  return {
    title: `The renewal of ${name} is unpaid`.slice(0, 255),
    message:
      `${name} expires on ${expiresAt.slice(0, 10)} and renews automatically, but the balance does not cover it.${price} ` +
      "Top up the balance before that day: the renewal is tried again every day until then.",
    priority: "normal",
  };
}

/** Says that a renewal does not succeed though it could be paid. */
export function failedRenewalText({
  name,
  expiresAt,
}: {
  readonly name: string;
  readonly expiresAt: string;
}): TicketText {
  return {
    title: `The renewal of ${name} failed`.slice(0, 255),
    message:
      `${name} expires on ${expiresAt.slice(0, 10)} and renews automatically, but the renewal was refused; nothing stays charged. ` +
      "It is tried again every day until then. We look into it and tell you here what comes of it.",
    priority: "emergency",
  };
}

/** Says that a webhook is disabled. */
export function webhookText(webhookId: number): TicketText {
  return {
    title: `Webhook ${String(webhookId)} is disabled`,
    message:
      `Your webhook ${String(webhookId)} took nothing for three days, or answered 410 (gone): nothing is sent there any more. ` +
      "Its deliveries say why (`GET /webhooks/{id}/deliveries`). Send it a test event with `POST /webhooks/{id}/test`. " +
      'When it works, enable it with `PUT /webhooks/{id}` and `{"enabled": true}`; its secret stays the same.',
    priority: "normal",
  };
}

const theRegistration = "The registration of your domain";

/** What the customer calls what a run is for, by the run's category. */
const subjects: Readonly<Record<string, string>> = {
  [registration.category]: theRegistration,
  [domainRenewal.category]: "The renewal of your domain",
  [transferIn.category]: "The transfer of your domain",
  [serverOrder.category]: "The order of your server",
  [serverRenewal.category]: "The renewal of your server",
};

/** Says that a run, or what comes with what it ordered, needs us. */
export function suspendedRunText(run: string): TicketText {
  const [category = ""] = run.split("-", 1);
  const subject = subjects[category] ?? theRegistration;
  return {
    title: `${subject} needs our attention`,
    message: `${subject} could not be completed by itself. We look into it and tell you here what comes of it.`,
    priority: "emergency",
  };
}

/** Says, to staff alone, that a name may be meant to be taken for another. */
export function scriptsText(
  { name, accountId }: { readonly name: string; readonly accountId: number },
  { shown, scripts }: MixedScripts,
): TicketText {
  return {
    title: `${name} mixes scripts: ${scripts.join(", ")}`.slice(0, 255),
    message:
      `Account ${String(accountId)} holds ${name}, which people read as "${shown}". No language writes ${scripts.join(" and ")} letters ` +
      "in one word: it may be meant to be taken for another name. Look who holds it and what it shows; " +
      "`hostledger admin domain suspend` takes it off the net.",
    priority: "normal",
  };
}

/** Says, to staff alone, that nothing is done by the time any more. */
export function clockText({ direction, expectedAt, clockAt }: ClockJump): TicketText {
  return {
    title: direction === "behind" ? "A clock is behind" : "A clock is ahead",
    message:
      `A process found that its clock says ${clockAt}, ${direction} of ${expectedAt}. Until somebody confirms it, nothing expires, ` +
      "renews or ends by the time. Set the machine's clock right, then confirm it with `hostledger admin clock accept`.",
    priority: "emergency",
  };
}
