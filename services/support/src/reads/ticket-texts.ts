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

/** Text of a ticket opened for a cause. Customers read it, except tickets for staff, so it contains nothing internal. */
export interface TicketText {
  readonly title: string;
  readonly message: string;
  readonly priority: TicketPriority;
}

/** Maximum characters of a DNS server's message in a ticket. */
const longestReason = 500;

/** Returns the ticket of a missing zone. @param reason from the event, as reported by the DNS adapter */
export function zoneText(name: string, reason: string): TicketText {
  return {
    title: `The DNS zone of ${name}`.slice(0, 255),
    message:
      `${name} is registered, but its DNS zone could not be created yet${publicReason(reason)} ` +
      "We try again automatically until the domain resolves.",
    priority: "emergency",
  };
}

/** Returns the reason if it is a refusal of the DNS server; other reasons contain internal addresses. */
function publicReason(reason: string): string {
  if (!/^The (?:DNS server|zone) /.test(reason)) return ".";
  const line = asLine(reason, longestReason, "");
  return `: ${line}${/[.!?]$/.test(line) ? "" : "."}`;
}

const zoneIsThereText =
  "The zone exists now, with its default records. You need not do anything, and the ticket is closed.";

const agreesAgainText =
  "The books and the provider agree again: a later comparison found no difference. " +
  "Close this ticket if nothing else is open; if the difference returns, a new ticket is opened.";

/** Returns true if a ticket is closed when its cause ends. Tickets about differences from providers are closed by staff. */
export function isClosedAtEnd(cause: string): boolean {
  return !isCauseOfDifference(cause);
}

/** Returns the comment for a ticket whose cause has ended. */
export function endText(cause: string): string {
  return isCauseOfDifference(cause) ? agreesAgainText : zoneIsThereText;
}

export function transferText(name: string): TicketText {
  return {
    title: `The transfer of ${name} failed`.slice(0, 255),
    message:
      `${name} was not transferred to us: it stays with its present registrar, and its price is back on your balance. ` +
      "Ask that registrar for the reason, and order the transfer again when it is settled.",
    priority: "normal",
  };
}

export function abandonedChangeText(name: string): TicketText {
  return {
    title: `A change of ${name} was given up`.slice(0, 255),
    message:
      `You requested a change of ${name}, and the registrar or the DNS server never answered whether it was made. ` +
      "We ended the change, so that the domain can be changed again. Check the domain, and request what is missing again.",
    priority: "normal",
  };
}

/** @param reason the payment provider's words @param amountCents cents (EUR) */
export function returnedPaymentText({
  amountCents,
  reason,
}: {
  readonly amountCents: string;
  readonly reason: string;
}): TicketText {
  return {
    title: `A payment of ${formatEuros(BigInt(amountCents))} EUR was taken back`,
    message:
      `Your payment of ${formatEuros(BigInt(amountCents))} EUR was taken back: ${asLine(reason, longestReason, "no reason was given")} ` +
      "We took it off your balance, which may be negative now, and cancelled its receipt. Pay again, or tell us here if this is a mistake.",
    priority: "normal",
  };
}

export function departureText(name: string): TicketText {
  return {
    title: `${name} was transferred away`.slice(0, 255),
    message:
      `Another registrar holds ${name} now: it is no longer listed here, and we do not renew it any more. ` +
      "If you did not ask for this, tell us here at once: a transfer can be disputed for a short while only.",
    priority: "normal",
  };
}

/** Returns the staff ticket for a renewal that the registry charges and no customer paid. */
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
      "the books have that date now, and nobody was charged. Charge the customer, or cancel the renewal at the registry in time " +
      "(the auto-renew grace period of RFC 3915).",
    priority: "emergency",
  };
}

/** Returns the ticket of an unpaid renewal. @param requiredCents gross amount in cents (EUR); null if unknown */
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

/** Returns the ticket of a renewal that failed although payable. */
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
      `${name} expires on ${expiresAt.slice(0, 10)} and renews automatically, but the renewal was refused; no charge remains. ` +
      "We try again every day until then, look into the cause and tell you the result here.",
    priority: "emergency",
  };
}

export function webhookText(webhookId: number): TicketText {
  return {
    title: `Webhook ${String(webhookId)} is disabled`,
    message:
      `Your webhook ${String(webhookId)} accepted nothing for three days, or answered 410 (gone): we send nothing there any more. ` +
      "Its deliveries say why (`GET /webhooks/{id}/deliveries`). Send it a test event with `POST /webhooks/{id}/test`. " +
      'When it works, enable it with `PUT /webhooks/{id}` and `{"enabled": true}`; its secret stays the same.',
    priority: "normal",
  };
}

const theRegistration = "The registration of your domain";

const subjects: Readonly<Record<string, string>> = {
  [registration.category]: theRegistration,
  [domainRenewal.category]: "The renewal of your domain",
  [transferIn.category]: "The transfer of your domain",
  [serverOrder.category]: "The order of your server",
  [serverRenewal.category]: "The renewal of your server",
};

export function suspendedRunText(run: string): TicketText {
  const [category = ""] = run.split("-", 1);
  const subject = subjects[category] ?? theRegistration;
  return {
    title: `${subject} needs our attention`,
    message: `${subject} could not be completed automatically. We look into it and tell you the result here.`,
    priority: "emergency",
  };
}

/** Returns the staff ticket for a name that may imitate another name. */
export function scriptsText(
  { name, accountId }: { readonly name: string; readonly accountId: number },
  { shown, scripts }: MixedScripts,
): TicketText {
  return {
    title: `${name} mixes scripts: ${scripts.join(", ")}`.slice(0, 255),
    message:
      `Account ${String(accountId)} holds ${name}, which people read as "${shown}". No language writes ${scripts.join(" and ")} letters ` +
      "in one word: the name may imitate another one. Check its holder and its content; " +
      "`hostledger admin domain suspend` makes it unreachable.",
    priority: "normal",
  };
}

/** Returns the staff ticket for a clock jump, which stops time-driven work. */
export function clockText({ direction, expectedAt, clockAt }: ClockJump): TicketText {
  return {
    title: direction === "behind" ? "A clock is behind" : "A clock is ahead",
    message:
      `A process found that its clock says ${clockAt}, ${direction} of ${expectedAt}. Until staff confirm it, nothing expires, ` +
      "renews or ends on time. Set the machine's clock right, then confirm it with `hostledger admin clock accept`.",
    priority: "emergency",
  };
}
