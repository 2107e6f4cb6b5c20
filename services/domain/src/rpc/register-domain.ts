import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  deliveryWarning,
  isSameNameserverSet,
  parseDomainName,
  parsed,
  parseNameservers,
  parseYears,
  registrationOf,
  rejection,
  type DomainName,
} from "@hostledger/core";
import { recentMs } from "@hostledger/store";
import type { domain } from "@hostledger/protocol";
import { doneOrThrow, rejectionError, requestContextOf, requireAccount, validated } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import type { DomainDependencies } from "../dependencies.ts";
import { boughtDomain, buyName, checked, paidFor, refuseDearer } from "./buy-domain.ts";
import { offerOf, refuseYears } from "./offer.ts";

type Request = Readonly<Pick<domain.RegisterDomainRequest, "domain" | "years" | "autoRenew" | "nameservers">>;
type Response = MessageInitShape<typeof domain.RegisterDomainResponseSchema>;

/** Registers a name (specification §4.1) that must be available at the registrar. */
export async function registerDomain(
  dependencies: DomainDependencies,
  request: Request,
  context: HandlerContext,
): Promise<Response> {
  const { accountId } = requireAccount(context);
  const order = { accountId, ...validatedRequest(request, dependencies.settings.serviceNameservers) };
  const registered = await bought(dependencies, order, context);
  // Delivery of nameservers or zone is not part of the paid order; the answer contains the result of the first attempt.
  const delivered = await dependencies.delivery.bringAbout(registered.name, requestContextOf(context));
  const warning = deliveryWarning(delivered);
  return {
    ...(await boughtDomain(dependencies, registered, recentMs)),
    years: registered.years,
    ...defined({ warning: warning === undefined ? undefined : warningSentence(warning) }),
  };
}

interface RegistrationOrder extends Pick<Request, "autoRenew"> {
  readonly accountId: number;
  readonly name: DomainName;
  readonly years: number;
  readonly nameservers: readonly string[] | null;
}

/** Orders the name. @throws ConnectError for a rejection. */
async function bought(
  dependencies: DomainDependencies,
  { accountId, name, years, autoRenew, nameservers }: RegistrationOrder,
  context: HandlerContext,
) {
  const { subject, answer } = await buyName(
    dependencies,
    {
      runs: dependencies.registrations,
      accountId,
      name,
      years,
      async priceOf(registrar) {
        const { registrationCents } = await offerOf(dependencies, name.tld);
        refuseYears(registrar, name.name, years);
        return registrationCents;
      },
      async refuseAtRegistrar(registrar, yearNetCents) {
        const found = await checked(registrar, name, { kind: "create", years });
        if (!found.available) throw rejectionError(rejection("domain-not-available"));
        refuseDearer(found, yearNetCents * BigInt(years));
      },
      reserve({ run: registrationId, at, ...order }) {
        const data = { registrationId, ...order, years, autoRenew, nameservers };
        return {
          command: { type: "ReserveRegistration", data: { ...data, at } },
          subject: registrationOf({ ...data, reservedAt: at }),
        };
      },
    },
    context,
  );
  return paidFor(subject, doneOrThrow(answer, () => rejection("registrar-failed")).charge);
}

function validatedRequest(request: Request, serviceNameservers: readonly string[]) {
  const { domain: name, ...rest } = validated({
    domain: parseDomainName(request.domain),
    years: parseYears(request.years ?? 1),
    nameservers: request.nameservers.length === 0 ? parsed(null) : parseNameservers(request.nameservers),
  });
  // The service's own host names are treated as none.
  const isOurs = rest.nameservers !== null && isSameNameserverSet(rest.nameservers, serviceNameservers);
  return { name, autoRenew: request.autoRenew, ...rest, ...(isOurs && { nameservers: null }) };
}

function warningSentence(reason: string): string {
  return `The domain is registered, but the requested nameservers could not be applied: ${reason.replace(/\.$/, "")}. The service nameservers stay in use.`;
}
