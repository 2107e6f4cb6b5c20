import {
  addYears,
  assertNever,
  hiddenText,
  type RegistrarRegistration,
  type RegistrarRequest,
} from "@hostledger/core";
import { answerOf, type ProviderAnswer } from "@hostledger/work";
import type { Registrar, RegistrarDomain, Registrars, RenewalOrder } from "@hostledger/providers";
import { defined } from "@hostledger/runtime";

import type { OrderedName, Registrants } from "./registrants.ts";

type Answer = ProviderAnswer<RegistrarRegistration>;

/**
 * Creates the registrar calls of runs.
 * @param nameservers delegation of new names.
 * @param registrants finds the registrant, if the registrar requires one.
 */
export function registrarEffects(
  registrars: Registrars,
  nameservers: readonly string[],
  registrants: Registrants,
): (request: RegistrarRequest) => Promise<Answer> {
  return async (request) => {
    const registrar = await registrars.of(request.name);
    const held = (domain: RegistrarDomain): Answer => heldAt(registrar.name, domain);
    switch (request.type) {
      case "register": {
        const { clientTransactionId, name, years } = request;
        const found = await orderedBy(registrants, registrar, request);
        if (!found.isKnown) return found.answer;
        const order = { clientTransactionId, name, years, nameservers, ...found.of };
        return answerOf(await registrar.register(order), held);
      }
      case "inquire-registration":
        return answerOf(await registrar.inquire(request.name, request.clientTransactionId), (holding) =>
          // A name that another order holds is not the result of this run.
          holding.held && holding.domain.clientTransactionId === request.clientTransactionId
            ? held(withExpiry(holding.domain, request.years))
            : { type: "not-held" },
        );
      case "cancel":
        return answerOf(await registrar.cancel(request.name), () => ({ type: "done" }));
      case "renew":
      case "restore": {
        const { type, clientTransactionId, name, currentExpiresAt, years } = request;
        const order = { clientTransactionId, name, currentExpiresAt, years };
        return answerOf(await registrar[type](order), held);
      }
      case "inquire-expiry":
        return answerOf(await registrar.inquire(request.name), (holding) => {
          if (!holding.held) return { type: "not-held" };
          // A computed date says nothing of a renewal.
          const isReported = holding.domain.isExpiryComputed !== true;
          return isReported
            ? held(holding.domain)
            : { type: "unknown", reason: "The registry tells no expiry date" };
        });
      case "inquire-restoration":
        return restorationOf(registrar, request, held);
      case "transfer-in": {
        const { clientTransactionId, name, authCode } = request;
        const found = await orderedBy(registrants, registrar, request);
        if (!found.isKnown) return found.answer;
        const outcome = await registrar.transferIn({ clientTransactionId, name, authCode, ...found.of });
        // A registry may repeat the code in its words, which are stored and shown.
        const answer =
          "message" in outcome
            ? { ...outcome, message: outcome.message.replaceAll(authCode, hiddenText) }
            : outcome;
        if (answer.outcome === "pending") return { type: "pending" };
        if (answer.outcome !== "refused" || answer.reason === "unreachable" || answer.reason === "rejected")
          return answerOf(answer, held);
        return { type: "refused", reason: answer.message, code: answer.reason };
      }
      case "withdraw-transfer":
        // The inquiry tells the outcome, because the transfer may have completed in between.
        await registrar.cancelTransfer(request.name);
        return transferState(registrar, { request, registrants }, held);
      case "inquire-transfer":
        return transferState(registrar, { request, registrants }, held);
      default:
        return assertNever(request);
    }
  };
}

/** Asks whether a name was had back, and orders its year again where it is back without: the order names the day that it renews. */
async function restorationOf(
  registrar: Registrar,
  order: RenewalOrder,
  held: (domain: RegistrarDomain) => Answer,
): Promise<Answer> {
  const { clientTransactionId, name, currentExpiresAt, years } = order;
  const answer = await registrar.inquire(name);
  if (answer.outcome !== "done" || !answer.value.held) return answerOf(answer, () => ({ type: "not-held" }));
  const { domain } = answer.value;
  const isRenewed = domain.expiresAt.slice(0, 10) !== currentExpiresAt.slice(0, 10);
  // If the registry reports no expiry date, the registry itself compares the day.
  if (isRenewed && domain.isExpiryComputed !== true) return held(domain);
  const again = await registrar.restore({ clientTransactionId, name, currentExpiresAt, years });
  return held(again.outcome === "done" ? again.value : domain);
}

/** Adds the computed expiry date to a registered name if its registry reports none. */
function withExpiry(domain: RegistrarDomain, years: number): RegistrarDomain {
  if (domain.isExpiryComputed !== true) return domain;
  return { ...domain, expiresAt: addYears(domain.registeredAt, years) };
}

function heldAt(provider: string, domain: RegistrarDomain): Answer {
  const { registeredAt, expiresAt, nameservers, whoisPrivacy, transferLock } = domain;
  const held = { provider, registeredAt, expiresAt, nameservers, whoisPrivacy, transferLock };
  return { type: "held", held };
}

/** Returns the registrant of an order, or the end of an order without one: certainly nothing was sent. */
async function orderedBy(registrants: Registrants, registrar: Registrar, order: OrderedName) {
  try {
    const found = await registrants.find(registrar, order);
    if (found.isKnown) return found;
    const { code, message: reason } = found.refusal;
    return { isKnown: false, answer: { type: "refused", reason, code } } as const;
  } catch {
    const reason = "The order has no registrant: the account could not be read.";
    return { isKnown: false, answer: { type: "unreachable", reason } } as const;
  }
}

/** Returns the state of a transfer. A completed transfer gets its registrant with the same inquiry. */
async function transferState(
  registrar: Registrar,
  {
    request,
    registrants,
  }: {
    readonly request: OrderedName & { readonly clientTransactionId: string; readonly isTaken?: boolean };
    readonly registrants: Registrants;
  },
  held: (domain: RegistrarDomain) => Answer,
): Promise<Answer> {
  const { name, clientTransactionId, isTaken } = request;
  const found = await orderedBy(registrants, registrar, request);
  // If the profile is gone, the transfer completes without a new registrant.
  if (!found.isKnown && found.answer.type === "unreachable")
    return { type: "unknown", reason: found.answer.reason };
  const order = { clientTransactionId, ...defined({ isTaken }), ...(found.isKnown && found.of) };
  const answer = await registrar.inquireTransfer(name, order);
  // The inquiry was not answered: a refusal of the inquiry says nothing about the order.
  if (answer.outcome !== "done") return { type: "unknown", reason: answer.message };
  const transfer = answer.value;
  if (transfer.state === "none" || transfer.clientTransactionId !== clientTransactionId)
    return { type: "not-held" };
  if (transfer.state === "pending") return { type: "pending" };
  return transfer.state === "done" ? held(transfer.domain) : { type: "refused", reason: transfer.message };
}
