import {
  invoiceRetentionYears,
  sellerAggregate,
  standardRates,
  taxRulesAggregate,
  type IssuingTerms,
  type SellerFields,
  type SellerState,
  type TaxMode,
  type TaxRules,
} from "@hostledger/core";
import type { Clock } from "@hostledger/runtime";

import type { CommandHandler } from "./command-handler.port.ts";
import { recentMs } from "./recent-state.ts";

export interface DocumentSettings {
  readonly mode: TaxMode;
  /** Years for which documents are kept after the year of their issue. Default: the law's eight. */
  readonly retentionYears?: number;
  /** Proposed as the first seller; undefined while the operator has named none. */
  readonly seller?: SellerFields;
}

export interface IssuingTermsOptions {
  readonly commands: Pick<CommandHandler, "execute" | "load">;
  readonly clock: Pick<Clock, "now">;
  readonly settings: DocumentSettings;
}

/** First business date of the shipped rates; earlier documents would have the same. */
const shippedFrom = "2026-01-01";

/**
 * Returns a function that reads the inputs that documents freeze: seller and tax rules, at most a second old. The
 * first call records the seller of the settings and the shipped tax rules, if nobody has recorded any.
 */
export function createIssuingTerms(options: IssuingTermsOptions): () => Promise<IssuingTerms> {
  const { mode, retentionYears = invoiceRetentionYears, seller: proposed } = options.settings;
  return async () => {
    const seller = await sellerOf(options, proposed);
    const rules = mode === "flat" ? taxRulesAggregate.decider.initialState : await rulesOf(options);
    return { ...seller, rules, mode, retentionYears };
  };
}

async function sellerOf(
  { commands, clock }: IssuingTermsOptions,
  proposed: SellerFields | undefined,
): Promise<SellerState> {
  const { state } = await commands.load(sellerAggregate, "all", recentMs);
  if (state.seller.version > 0 || proposed === undefined) return state;
  const executed = await commands.execute(
    sellerAggregate,
    "all",
    { type: "ProposeSeller", data: { seller: proposed, at: clock.now() } },
    { commandId: "seller/proposed", correlationId: "seller/proposed", actor: "settings" },
  );
  return executed.state;
}

async function rulesOf({ commands, clock }: IssuingTermsOptions): Promise<TaxRules> {
  const { state } = await commands.load(taxRulesAggregate, "all", recentMs);
  if (state.size > 0) return state;
  const rates = Object.entries(standardRates).map(([country, standardBasisPoints]) => ({
    country,
    standardBasisPoints,
  }));
  const data = { validFrom: shippedFrom, rates, reason: "shipped with Hostledger", at: clock.now() };
  const executed = await commands.execute(
    taxRulesAggregate,
    "all",
    { type: "SetTaxRules", data },
    { commandId: "taxrules/shipped", correlationId: "taxrules/shipped", actor: "settings" },
  );
  return executed.state;
}
