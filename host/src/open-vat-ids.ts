import {
  VatIdChecks,
  ViesVatIds,
  withLimits,
  type CallLimits,
  type VatIdRegister,
} from "@hostledger/providers";
import { createIssuingTerms, type AccountCommands } from "@hostledger/store";
import type { VatIdOptions } from "@hostledger/account-service";

import type { Configuration } from "./configuration/index.ts";
import type { Providers } from "./open-providers.ts";
import { documentSettingsOf } from "./seller.ts";
import type { ServiceContext } from "./service-context.ts";

/** Questions under way at once; VIES answers few at a time to one address. */
const concurrency = 4;
const queue = 64;

/** Opens the checks of customers' VAT ids; undefined under the flat rule, where VAT ids decide no tax. */
export function openVatIds(
  configuration: Configuration,
  { clock, breakers }: Pick<ServiceContext, "clock" | "breakers">,
  { accounts, providers }: { readonly accounts: AccountCommands; readonly providers: () => Providers },
): VatIdOptions | undefined {
  if (configuration.tax !== "eu") return undefined;
  const timeLimitMs = configuration.providerTimeoutMs;
  const breaker = breakers.open("vat-ids", timeLimitMs);
  const limits: CallLimits = { timeLimitMs, concurrency, queue, breaker };
  // The sandbox's file is opened only where it is used.
  const register: VatIdRegister = openVies(configuration) ?? providers().sandbox.vatIds;
  return {
    checks: new VatIdChecks(withLimits(register, limits, clock), clock),
    issuingTerms: createIssuingTerms({
      commands: accounts.commands,
      clock,
      settings: documentSettingsOf(configuration),
    }),
  };
}

/** Opens the adapter of VIES, where it is configured. */
export function openVies({ vatIds, viesUrl, providerTimeoutMs }: Configuration): ViesVatIds | undefined {
  if (vatIds !== "vies") return undefined;
  return new ViesVatIds({ url: new URL(viesUrl), timeLimitMs: providerTimeoutMs });
}
