import { endTermsOf, extensionOf, priceListAggregate, type EndTerms } from "@hostledger/core";
import type { CommandHandler } from "@hostledger/event-store";

/** What becomes of a name that nobody renews, as its extension has it now. */
export async function endTermsFor(commands: Pick<CommandHandler, "load">, name: string): Promise<EndTerms> {
  const { state } = await commands.load(priceListAggregate, extensionOf(name));
  return endTermsOf(state);
}
