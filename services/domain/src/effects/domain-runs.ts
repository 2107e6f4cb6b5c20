import {
  domainAggregate,
  domainRenewal,
  glueOf,
  registration,
  transferIn,
  type PaidOrderAnswer,
  type Registration,
  type RegistrarRegistration,
  type Renewal,
  type RenewedUntil,
  type Transfer,
} from "@hostledger/core";
import { createPaidOrders, type PaidOrders, type RunParts } from "@hostledger/work";
import type { Registrars } from "@hostledger/providers";

import type { DomainSettings } from "../settings.ts";
import { delegate } from "./asking.ts";
import { createRegistrants } from "./registrants.ts";
import { registrarEffects } from "./registrar-effects.ts";

/** Options of the runs of registrations, renewals and transfers. */
export interface DomainRunsOptions extends RunParts {
  readonly registrars: Registrars;
  readonly settings: Pick<DomainSettings, "serviceNameservers">;
}

export type Registrations = PaidOrders<Registration, RegistrarRegistration>;

export type RenewalRuns = PaidOrders<Renewal, RenewedUntil>;

/** The transfers to us that are under way here. */
export type TransferRuns = PaidOrders<Transfer, RegistrarRegistration>;

export type RenewalAnswer = PaidOrderAnswer<RenewedUntil>;

/** Creates the runs of registrations. A reservation of a name begins one. */
export function createRegistrations(options: DomainRunsOptions): Registrations {
  return createPaidOrders({ ...parts(options), paidOrder: registration });
}

/** Creates the runs of transfers to us. A reservation of a name for one begins it. */
export function createTransferRuns(options: DomainRunsOptions): TransferRuns {
  return createPaidOrders({ ...parts(options), paidOrder: transferIn });
}

/** Creates the runs of renewals. A renewal's start on the name's stream begins one. */
export function createRenewalRuns(options: DomainRunsOptions): RenewalRuns {
  const { askRegistrar, ...given } = parts(options);
  const asked = delegatingRestored(askRegistrar, options);
  return createPaidOrders({ ...given, askRegistrar: asked, paidOrder: domainRenewal });
}

function parts({ registrars, settings, ...given }: DomainRunsOptions) {
  const registrants = createRegistrants(given.accounts);
  return { ...given, askRegistrar: registrarEffects(registrars, settings.serviceNameservers, registrants) };
}

type AskRegistrar = ReturnType<typeof registrarEffects>;

/**
 * The registrar as renewals ask it: nameservers below a name end with it at some registries, so that a name that is had back is
 * delegated to them again. Where that is refused the name is back all the same, and the comparison with the registrar says so.
 */
function delegatingRestored(ask: AskRegistrar, options: DomainRunsOptions): AskRegistrar {
  return async (request) => {
    const answer = await ask(request);
    const isRestoration = request.type === "restore" || request.type === "inquire-restoration";
    if (isRestoration && answer.type === "held")
      await delegateAgain(options, request.name, answer.held.nameservers);
    return answer;
  };
}

async function delegateAgain(
  { commands, registrars, logger }: DomainRunsOptions,
  name: string,
  present: readonly string[],
): Promise<void> {
  const { state } = await commands.load(domainAggregate, name);
  if (state.status !== "registered") return;
  const { nameservers } = state.domain;
  const glue = glueOf(state.domain, nameservers);
  if (Object.keys(glue).every((host) => present.includes(host))) return;
  const answer = await delegate(await registrars.of(name), name, { nameservers, glue }, true);
  if (answer.outcome !== "done")
    logger.error({ domain: name, why: answer.reason }, "a restored name is not delegated again");
}
