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
 * The registrars as runs ask them.
 * @param nameservers what a new name is delegated to.
 * @param registrants says who an order is for, where the registrar wants to know.
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
          // A name that is held for another order is not what this run ordered.
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
        // What came of it, the question tells: it may have been carried out in between.
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
  // The registry compares the day itself where it does not tell it.
  if (isRenewed && domain.isExpiryComputed !== true) return held(domain);
  const again = await registrar.restore({ clientTransactionId, name, currentExpiresAt, years });
  return held(again.outcome === "done" ? again.value : domain);
}

/** A name that was registered for so many years, where its registry does not tell until when. */
function withExpiry(domain: RegistrarDomain, years: number): RegistrarDomain {
  if (domain.isExpiryComputed !== true) return domain;
  return { ...domain, expiresAt: addYears(domain.registeredAt, years) };
}

function heldAt(provider: string, domain: RegistrarDomain): Answer {
  const { registeredAt, expiresAt, nameservers, whoisPrivacy, transferLock } = domain;
  const held = { provider, registeredAt, expiresAt, nameservers, whoisPrivacy, transferLock };
  return { type: "held", held };
}

/** Who the order is for, or how it ends without one: nothing was sent, which is certain. */
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

/** What became of a transfer. A name that has come gets its registrant with the question. */
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
  // Where the profile says nothing any more, the name comes as it is.
  if (!found.isKnown && found.answer.type === "unreachable")
    return { type: "unknown", reason: found.answer.reason };
  const order = { clientTransactionId, ...defined({ isTaken }), ...(found.isKnown && found.of) };
  const answer = await registrar.inquireTransfer(name, order);
  // No answer to the question: a refusal is the order's only where the registrar tells so of the order.
  if (answer.outcome !== "done") return { type: "unknown", reason: answer.message };
  const transfer = answer.value;
  if (transfer.state === "none" || transfer.clientTransactionId !== clientTransactionId)
    return { type: "not-held" };
  if (transfer.state === "pending") return { type: "pending" };
  return transfer.state === "done" ? held(transfer.domain) : { type: "refused", reason: transfer.message };
}
