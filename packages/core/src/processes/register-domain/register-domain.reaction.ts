import { assertNever } from "../../kernel/assert-never.ts";
import type { Reaction } from "../../kernel/process.ts";
import type { NameOrder, RegistrationCommand, RegistrationRequest } from "./register-domain.inputs.ts";
import type { Attempts, Registration, RegistrationState } from "./register-domain.state.ts";

type RegistrationReaction = Reaction<RegistrationCommand, RegistrationRequest>;

/** What a registration run does next: one line of the plan for each step. */
export function react(state: RegistrationState): RegistrationReaction {
  if (state.status === "new") return { kind: "complete" };
  const { registration } = state;
  const { registrationId, accountId, name } = registration;
  switch (state.status) {
    case "charging":
      return charge(registration);
    case "ordering":
      return call({ type: "register", clientTransactionId: registrationId, name, years: registration.years });
    case "inquiring":
    case "settling":
      return call({ type: "inquire", clientTransactionId: registrationId, name }, state);
    case "cancelling":
      return call({ type: "cancel", name }, state);
    case "confirming":
      return send(name, {
        type: "RegisterDomain",
        data: { registrationId, ...state.order, ...state.charge },
      });
    case "refunding": {
      const reason = state.failure.kind === "registrar-failed" ? state.failure.reason : "Charge refused";
      const order = { type: "RefundRegistration", accountId, chargeId: registrationId, reason } as const;
      return { kind: "compensate", command: { to: "account", order } };
    }
    case "releasing":
      return compensate(name, {
        type: "ReleaseRegistration",
        data: { registrationId, reason: state.reason },
      });
    case "holding":
      return compensate(name, { type: "HoldRegistration", data: { registrationId } });
    case "delivering":
      // A registered name cannot be held: its answer ends a run that was stopped while it delivered.
      return compensate(name, { type: "HoldRegistration", data: { registrationId } });
    case "parked":
      return { kind: "park", reason: state.reason };
    case "completed":
      return { kind: "complete" };
    default:
      return assertNever(state);
  }
}

function charge({
  registrationId,
  accountId,
  domainId,
  name,
  years,
  yearNetCents,
}: Registration): RegistrationReaction {
  const order = {
    type: "ChargeRegistration",
    accountId,
    chargeId: registrationId,
    domainId,
    name,
    years,
    yearNetCents,
  } as const;
  return { kind: "send", command: { to: "account", order } };
}

function send(name: string, order: NameOrder): RegistrationReaction {
  return { kind: "send", command: { to: "name", name, order } };
}

function compensate(name: string, order: NameOrder): RegistrationReaction {
  return { kind: "compensate", command: { to: "name", name, order } };
}

function call(request: RegistrationRequest, { notBefore }: Partial<Attempts> = {}): RegistrationReaction {
  return { kind: "call", request, ...(notBefore === undefined ? {} : { notBefore }) };
}
