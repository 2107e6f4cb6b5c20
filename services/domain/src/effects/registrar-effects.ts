import type { ProviderRequest, RegistrarRegistration, RenewedUntil } from "@hostledger/core";
import { answerOf, type ProviderAnswer } from "@hostledger/process-manager";
import type { Registrar, RegistrarDomain } from "@hostledger/providers";

/** The registrar as registrations ask it. @param nameservers what a new name is delegated to. */
export function registrationEffects(
  registrar: Registrar,
  nameservers: readonly string[],
): (request: ProviderRequest) => Promise<ProviderAnswer<RegistrarRegistration>> {
  const held = (domain: RegistrarDomain): ProviderAnswer<RegistrarRegistration> => heldBy(registrar, domain);
  return async (request) => {
    switch (request.type) {
      case "register": {
        const { clientTransactionId, name, years } = request;
        return answerOf(await registrar.register({ clientTransactionId, name, years, nameservers }), held);
      }
      case "inquire-registration":
        return answerOf(await registrar.inquire(request.name), (holding) =>
          // A name that is held for another order is not what this run ordered.
          holding.held && holding.domain.clientTransactionId === request.clientTransactionId
            ? held(holding.domain)
            : { type: "not-held" },
        );
      case "cancel":
        return answerOf(await registrar.cancel(request.name), () => ({ type: "done" }));
      default:
        throw new Error(`a registration does not ask for ${request.type}`);
    }
  };
}

/** The registrar as transfers to us ask it. */
export function transferEffects(
  registrar: Registrar,
): (request: ProviderRequest) => Promise<ProviderAnswer<RegistrarRegistration>> {
  async function stateOf(
    name: string,
    clientTransactionId: string,
  ): Promise<ProviderAnswer<RegistrarRegistration>> {
    const answer = await registrar.inquireTransfer(name);
    // No answer to the question: a refusal is the order's only where the registrar tells so of the order.
    if (answer.outcome !== "done") return { type: "unknown", reason: answer.message };
    const transfer = answer.value;
    if (transfer.state === "none" || transfer.clientTransactionId !== clientTransactionId)
      return { type: "not-held" };
    if (transfer.state === "pending") return { type: "pending" };
    return transfer.state === "done"
      ? heldBy(registrar, transfer.domain)
      : { type: "refused", reason: transfer.message };
  }

  return async (request) => {
    switch (request.type) {
      case "transfer-in": {
        const { clientTransactionId, name, authCode } = request;
        const answer = await registrar.transferIn({ clientTransactionId, name, authCode });
        if (answer.outcome === "pending") return { type: "pending" };
        if (answer.outcome !== "refused" || answer.reason === "unreachable" || answer.reason === "rejected")
          return answerOf(answer, (domain) => heldBy(registrar, domain));
        return { type: "refused", reason: answer.message, code: answer.reason };
      }
      case "withdraw-transfer":
        // What came of it, the question tells: it may have been carried out in between.
        await registrar.cancelTransfer(request.name);
        return stateOf(request.name, request.clientTransactionId);
      case "inquire-transfer":
        return stateOf(request.name, request.clientTransactionId);
      default:
        throw new Error(`a transfer does not ask for ${request.type}`);
    }
  };
}

/** The registrar as renewals ask it. */
export function renewalEffects(
  registrar: Registrar,
): (request: ProviderRequest) => Promise<ProviderAnswer<RenewedUntil>> {
  const held = ({ expiresAt }: RegistrarDomain): ProviderAnswer<RenewedUntil> => ({
    type: "held",
    held: { expiresAt },
  });
  return async (request) => {
    switch (request.type) {
      case "renew": {
        const { clientTransactionId, name, currentExpiresAt, years } = request;
        return answerOf(await registrar.renew({ clientTransactionId, name, currentExpiresAt, years }), held);
      }
      case "inquire-expiry":
        return answerOf(await registrar.inquire(request.name), (holding) =>
          holding.held ? held(holding.domain) : { type: "not-held" },
        );
      default:
        throw new Error(`a renewal does not ask for ${request.type}`);
    }
  };
}

function heldBy(registrar: Registrar, domain: RegistrarDomain): ProviderAnswer<RegistrarRegistration> {
  const { registeredAt, expiresAt, nameservers, whoisPrivacy, transferLock } = domain;
  const dates = { provider: registrar.name, registeredAt, expiresAt };
  return { type: "held", held: { ...dates, nameservers, whoisPrivacy, transferLock } };
}
