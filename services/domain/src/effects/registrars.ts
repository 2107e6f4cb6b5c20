import { domainAggregate, extensionOf, holderOf, priceListAggregate, pricesAt } from "@hostledger/core";
import { recentMs, type CommandHandler } from "@hostledger/store";
import { routeRegistrars, type Registrar, type Registrars } from "@hostledger/providers";
import type { Clock } from "@hostledger/runtime";

/**
 * The registrars as events choose them: a name that an account has, or an order for it that is under way, stays with the registrar
 * that was asked; a free name goes where the price list sends its extension. So a price list that changes asks no registry about
 * another one's names.
 */
export function routeRegistrarsByDomain(
  commands: Pick<CommandHandler, "load">,
  clock: Pick<Clock, "now">,
  all: readonly [Registrar, ...Registrar[]],
): Registrars {
  return routeRegistrars(all, {
    async of(name) {
      const { state } = await commands.load(domainAggregate, name, recentMs);
      const holder = holderOf(state);
      return holder === undefined ? priced(commands, clock, name) : (holder.provider ?? undefined);
    },
    ofFree: (name) => priced(commands, clock, name),
  });
}

async function priced(
  commands: Pick<CommandHandler, "load">,
  clock: Pick<Clock, "now">,
  name: string,
): Promise<string | undefined> {
  const list = await commands.load(priceListAggregate, extensionOf(name), recentMs);
  const state = pricesAt(list.state, clock.now());
  return state.status === "priced" ? (state.registrar ?? undefined) : undefined;
}
