import type { ProviderRequest, RegistrarRegistration, RenewedUntil } from "@hostledger/core";
import { answerOf, type ProviderAnswer } from "@hostledger/process-manager";
import type { Registrar, RegistrarDomain } from "@hostledger/providers";

/** The registrar as registrations ask it. @param nameservers what a new name is delegated to. */
export function registrationEffects(
  registrar: Registrar,
  nameservers: readonly string[],
): (request: ProviderRequest) => Promise<ProviderAnswer<RegistrarRegistration>> {
  const held = (domain: RegistrarDomain): ProviderAnswer<RegistrarRegistration> => {
    const { registeredAt, expiresAt, whoisPrivacy, transferLock } = domain;
    const dates = { provider: registrar.name, registeredAt, expiresAt };
    return { type: "held", held: { ...dates, nameservers: domain.nameservers, whoisPrivacy, transferLock } };
  };
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
