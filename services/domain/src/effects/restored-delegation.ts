import { domainAggregate, glueOf } from "@hostledger/core";
import type { RunParts } from "@hostledger/work";
import type { Registrars } from "@hostledger/providers";

import { delegate } from "./asking.ts";
import type { registrarEffects } from "./registrar-effects.ts";

type AskRegistrar = ReturnType<typeof registrarEffects>;

export interface RestoredDelegationOptions extends Pick<RunParts, "commands" | "logger"> {
  readonly registrars: Pick<Registrars, "of">;
}

/**
 * The registrar as renewals ask it: nameservers below a name end with it at some registries, so that a name that is had back is
 * delegated to them again. Where that is refused the name is back all the same, and the comparison with the registrar says so.
 */
export function delegatingRestored(ask: AskRegistrar, options: RestoredDelegationOptions): AskRegistrar {
  return async (request) => {
    const answer = await ask(request);
    const isRestoration = request.type === "restore" || request.type === "inquire-restoration";
    if (isRestoration && answer.type === "held")
      await delegateAgain(options, request.name, answer.held.nameservers);
    return answer;
  };
}

async function delegateAgain(
  { commands, registrars, logger }: RestoredDelegationOptions,
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
