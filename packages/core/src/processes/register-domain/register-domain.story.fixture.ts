import type { ReleaseReason } from "../../domain/domain.events.ts";
import { rejection, type RejectionCode } from "../../kernel/rejection.ts";
import { processSpec } from "../../testing/process-spec.ts";
import type { RegistrationEvent } from "./register-domain.events.ts";
import { at } from "./register-domain.fixture.ts";
import type { RegistrationInput } from "./register-domain.inputs.ts";
import { registerDomain } from "./register-domain.process.ts";
import { react } from "./register-domain.reaction.ts";
import type { RegistrationState } from "./register-domain.state.ts";

/** The words in which the specs tell a registration's story. */

/** Given these facts of a run, when this input comes, then … */
export const { given } = processSpec(registerDomain, react);
/** The name the examples register. */
export const name = "example.com";
/** The examples' run. */
export const registrationId = "r-1";

/** The run charges the account. */
export const chargeAccount = {
  kind: "send",
  command: {
    to: "account",
    order: {
      type: "ChargeRegistration",
      accountId: 7,
      chargeId: "r-1",
      domainId: 3,
      name,
      years: 2,
      yearNetCents: "1000",
    },
  },
} as const;
/** The run orders the name. */
export const orderName = {
  kind: "call",
  request: { type: "register", clientTransactionId: "r-1", name, years: 2 },
} as const;
/** The run asks what the registrar holds. */
export const inquiry = { type: "inquire", clientTransactionId: "r-1", name } as const;
/** The run holds the name. */
export const hold = {
  kind: "compensate",
  command: { to: "name", name, order: { type: "HoldRegistration", data: { registrationId } } },
} as const;

/** The run tells the name's stream something. */
export function tellName<Order extends object>(
  nameOrder: Order,
): { kind: "send"; command: { to: "name"; name: string; order: Order } } {
  return { kind: "send", command: { to: "name", name, order: nameOrder } };
}

/** The run returns the charge for a reason. */
export function refundFor(reason: string): ReturnType<typeof react> {
  const refund = { type: "RefundRegistration", accountId: 7, chargeId: "r-1", reason } as const;
  return { kind: "compensate", command: { to: "account", order: refund } };
}

/** The run gives the name back for a reason. */
export function release(reason: ReleaseReason): ReturnType<typeof react> {
  const releaseName = { type: "ReleaseRegistration", data: { registrationId, reason } } as const;
  return { kind: "compensate", command: { to: "name", name, order: releaseName } };
}

/** An aggregate refuses. */
export const refuse = (code: RejectionCode): RegistrationInput => ({
  type: "rejected",
  rejection: rejection(code),
  at,
});
/** The run is over. */
export const completed = (outcome: "delivered" | "refused" | "refunded"): RegistrationEvent => ({
  type: "RegistrationCompleted",
  data: { outcome, at },
});
/** The run waits for staff for a reason. */
export const parkedFor = (reason: string): RegistrationEvent => ({
  type: "RegistrationParked",
  data: { reason, at },
});

/** The state after a history and many times the same input: for the limits. */
export function afterMany(
  history: readonly RegistrationEvent[],
  input: RegistrationInput,
  times: number,
): RegistrationState {
  let state = history.reduce(registerDomain.evolve, registerDomain.initialState);
  for (let count = 0; count < times; count += 1) {
    state = registerDomain.decide(input, state).reduce(registerDomain.evolve, state);
  }
  return state;
}
