import { assertNever, type RegistrarRegistration, type RegistrarRequest } from "@hostledger/core";
import { answerOf, type ProviderAnswer } from "@hostledger/process-manager";
import type { Registrar, RegistrarDomain } from "@hostledger/providers";

type Answer = ProviderAnswer<RegistrarRegistration>;

/** The registrar as runs ask it. @param nameservers what a new name is delegated to. */
export function registrarEffects(
  registrar: Registrar,
  nameservers: readonly string[],
): (request: RegistrarRequest) => Promise<Answer> {
  const held = ({ registeredAt, expiresAt, ...kept }: RegistrarDomain): Answer => {
    const { nameservers: delegation, whoisPrivacy, transferLock } = kept;
    const dates = { provider: registrar.name, registeredAt, expiresAt };
    return { type: "held", held: { ...dates, nameservers: delegation, whoisPrivacy, transferLock } };
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
      case "renew": {
        const { clientTransactionId, name, currentExpiresAt, years } = request;
        return answerOf(await registrar.renew({ clientTransactionId, name, currentExpiresAt, years }), held);
      }
      case "inquire-expiry":
        return answerOf(await registrar.inquire(request.name), (holding) =>
          holding.held ? held(holding.domain) : { type: "not-held" },
        );
      case "transfer-in": {
        const { clientTransactionId, name, authCode } = request;
        const answer = await registrar.transferIn({ clientTransactionId, name, authCode });
        if (answer.outcome === "pending") return { type: "pending" };
        if (answer.outcome !== "refused" || answer.reason === "unreachable" || answer.reason === "rejected")
          return answerOf(answer, held);
        return { type: "refused", reason: answer.message, code: answer.reason };
      }
      case "withdraw-transfer":
        // What came of it, the question tells: it may have been carried out in between.
        await registrar.cancelTransfer(request.name);
        return transferState(registrar, request, held);
      case "inquire-transfer":
        return transferState(registrar, request, held);
      default:
        return assertNever(request);
    }
  };
}

async function transferState(
  registrar: Registrar,
  { name, clientTransactionId }: { readonly name: string; readonly clientTransactionId: string },
  held: (domain: RegistrarDomain) => Answer,
): Promise<Answer> {
  const answer = await registrar.inquireTransfer(name);
  // No answer to the question: a refusal is the order's only where the registrar tells so of the order.
  if (answer.outcome !== "done") return { type: "unknown", reason: answer.message };
  const transfer = answer.value;
  if (transfer.state === "none" || transfer.clientTransactionId !== clientTransactionId)
    return { type: "not-held" };
  if (transfer.state === "pending") return { type: "pending" };
  return transfer.state === "done" ? held(transfer.domain) : { type: "refused", reason: transfer.message };
}
