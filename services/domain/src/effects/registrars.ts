import { domainAggregate, extensionOf, holderOf, priceListAggregate } from "@hostledger/core";
import type { CommandHandler } from "@hostledger/event-store";
import { routeRegistrars, type Registrar, type Registrars } from "@hostledger/providers";

/**
 * The registrars as facts choose them: a name that an account has, or an order for it that is under way, stays with the registrar
 * that was asked; a free name goes where the price list sends its extension. So a price list that changes asks no registry about
 * another one's names.
 */
export function registrarsByFacts(
  commands: Pick<CommandHandler, "load">,
  all: readonly [Registrar, ...Registrar[]],
): Registrars {
  return routeRegistrars(all, async (name) => {
    const { state } = await commands.load(domainAggregate, name);
    const holder = holderOf(state);
    return holder === undefined ? priced(commands, name) : (holder.provider ?? undefined);
  });
}

async function priced(commands: Pick<CommandHandler, "load">, name: string): Promise<string | undefined> {
  const { state } = await commands.load(priceListAggregate, extensionOf(name));
  return state.status === "priced" ? (state.registrar ?? undefined) : undefined;
}
