import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  businessDateOf,
  parseLine,
  rejection,
  sellerAggregate,
  taxRules,
  taxRulesAggregate,
  taxVariable,
  type SellerFields,
  type SellerVersion,
  type TaxRules,
} from "@hostledger/core";
import type { admin } from "@hostledger/protocol";
import { rejectionError, requireAccepted, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import { commandContext } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";

type Handlers = ServiceImpl<typeof admin.AccountAdminService>;

const maximumReasonLength = 500;

/** Net cents (EUR) a year up to which consumers in other member states pay the seller's rate (Article 59c). */
const ossThresholdCents = 1_000_000n;

/** Creates the handlers of the seller, which is one stream for all processes. */
export function sellerHandlers(
  dependencies: AccountDependencies,
): Pick<Handlers, "showSeller" | "changeSeller" | "setOssRegistration"> {
  const { accounts, clock, commands, ids } = dependencies;
  return {
    async showSeller() {
      const { seller } = await accounts.terms();
      return { seller: sellerMessage(seller) };
    },

    async changeSeller(request, context) {
      const { reason } = validated({ reason: parseLine(request.reason, maximumReasonLength) });
      // The settings propose the first seller before staff change it.
      const { mode } = await accounts.terms();
      const data = { changes: changesOf(request), mode, reason, at: clock.now() };
      const sent = commandContext(context, `seller/${ids.uuid()}`);
      const executed = await commands.execute(sellerAggregate, "all", { type: "ChangeSeller", data }, sent);
      requireAccepted(executed);
      const repeated = executed.events.length === 0;
      return { seller: sellerMessage(executed.state.seller), repeated };
    },

    async setOssRegistration(request, context) {
      const { reason } = validated({ reason: parseLine(request.reason, maximumReasonLength) });
      await accounts.terms();
      const data = { from: request.from ?? null, reason, at: clock.now() };
      const command = { type: "SetOssRegistration", data } as const;
      const sent = commandContext(context, `oss/${ids.uuid()}`);
      const executed = await commands.execute(sellerAggregate, "all", command, sent);
      requireAccepted(executed);
      const from = executed.state.ossFrom ?? undefined;
      return { ...defined({ from }), repeated: executed.events.length === 0 };
    },
  };
}

/** Creates the handlers of the standard rates. */
export function taxHandlers(dependencies: AccountDependencies): Pick<Handlers, "showTaxes" | "setTaxRate"> {
  const { accounts, clock, commands, ids, queries } = dependencies;
  return {
    async showTaxes() {
      const { mode, ossFrom, rules, seller } = await accounts.terms();
      const year = businessDateOf(clock.now(), seller.timeZone).slice(0, 4);
      const crossBorderNetCents = await queries.netAtSellersRate(`${year}-01-01`, `${year}-12-31`);
      return {
        mode,
        ...defined({ ossFrom: ossFrom ?? undefined }),
        rates: [...rules.keys()].sort().flatMap((country) => ratesOf(rules, country)),
        crossBorderNetCents,
        thresholdCents: ossThresholdCents,
      };
    },

    async setTaxRate({ rate, reason: given }, context) {
      const { reason } = validated({ reason: parseLine(given, maximumReasonLength) });
      const { country = "", rateBasisPoints = 0, validFrom = "" } = rate ?? {};
      const { mode, rules } = await accounts.terms();
      const rates = [{ country, standardBasisPoints: rateBasisPoints }];
      const command = { type: "SetTaxRules", data: { validFrom, rates, reason, at: clock.now() } } as const;
      requireAccepted(taxRules.decide(command, rules));
      if (mode === "flat")
        throw rejectionError(
          rejection(
            "validation-failed",
            `There is no rate to set under ${taxVariable}=flat: it adds 19 % unless an account is exempt.`,
          ),
        );
      const sent = commandContext(context, `taxrules/${ids.uuid()}`);
      const executed = await commands.execute(taxRulesAggregate, "all", command, sent);
      requireAccepted(executed);
      return { rates: ratesOf(executed.state, country), repeated: executed.events.length === 0 };
    },
  };
}

function ratesOf(rules: TaxRules, country: string) {
  return (rules.get(country) ?? []).map(({ validFrom, standardBasisPoints: rateBasisPoints }) => ({
    country,
    rateBasisPoints,
    validFrom,
  }));
}

function changesOf({
  name,
  street,
  postalCode,
  city,
  country,
  vatId,
  taxNumber,
  email,
  phone,
  contact,
  exemptionReason,
  smallBusiness: isSmallBusiness,
  timeZone,
}: admin.ChangeSellerRequest): Partial<SellerFields> {
  return defined({
    name,
    street,
    postalCode,
    city,
    country,
    timeZone,
    vatId,
    taxNumber,
    email,
    phone,
    contact,
    exemptionReason,
    isSmallBusiness,
  });
}

function sellerMessage({
  isSmallBusiness: smallBusiness,
  ...seller
}: SellerVersion): MessageInitShape<typeof admin.SellerSchema> {
  return { ...seller, smallBusiness };
}
