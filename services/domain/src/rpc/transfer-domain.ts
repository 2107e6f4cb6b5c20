import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  parseDomainName,
  parsed,
  parseLine,
  parseNameservers,
  rejection,
  type PaidOrderAnswer,
} from "@hostledger/core";
import type { domain } from "@hostledger/protocol";
import { doneOrThrow, isRejectionCode, rejectionError, requireAccount, validated } from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";
import { boughtDomain, buyName, checked, paidFor, refuseDearer } from "./buy-domain.ts";
import { offerOf } from "./offer.ts";

type Request = Readonly<
  Pick<domain.TransferDomainRequest, "domain" | "authCode" | "autoRenew" | "nameservers">
>;
type Response = MessageInitShape<typeof domain.TransferDomainResponseSchema>;

/**
 * Transfers a name to us from another registrar (contract, `POST /domains/transfer`). Waits for the registrar's first
 * answer, so that a wrong authInfo is refused here; the domain or a ticket shows the later outcome of a pending
 * transfer.
 */
export async function transferDomain(
  dependencies: DomainDependencies,
  request: Request,
  context: HandlerContext,
): Promise<Response> {
  const { accountId } = requireAccount(context);
  const {
    domain: name,
    auth_code: authCode,
    nameservers,
  } = validated({
    domain: parseDomainName(request.domain),
    auth_code: parseLine(request.authCode, 255),
    nameservers: request.nameservers.length === 0 ? parsed(null) : parseNameservers(request.nameservers),
  });
  const { transferRuns } = dependencies;
  const { subject, answer } = await buyName(
    dependencies,
    {
      runs: transferRuns,
      accountId,
      name,
      years: 1,
      priceOf: async () => (await offerOf(dependencies, name.tld, "not-transferable")).transferCents,
      async refuseAtRegistrar(registrar, netCents) {
        const found = await checked(registrar, name, { kind: "transfer", years: 1 });
        if (found.available)
          throw rejectionError(rejection("not-transferable", undefined, { hadNoEffect: true }));
        refuseDearer(found, netCents);
      },
      reserve({ run: transferId, yearNetCents: netCents, at, ...order }) {
        const { autoRenew } = request;
        const data = { transferId, ...order, authCode, autoRenew, nameservers, netCents };
        return {
          command: { type: "ReserveTransfer", data: { ...data, at } },
          subject: { ...data, startedAt: at },
        };
      },
    },
    context,
  );
  return boughtDomain(dependencies, paidFor(subject, chargeOf(answer)));
}

/** Returns the charge of a completed or pending transfer. @throws ConnectError for a refused transfer. */
function chargeOf<Held>(answer: PaidOrderAnswer<Held>) {
  if (answer.kind === "pending") return answer.charge;
  const { charge } = doneOrThrow(answer, (failure) => {
    const code = "code" in failure ? failure.code : null;
    return code !== null && isRejectionCode(code) ? rejection(code) : rejection("registrar-failed");
  });
  return charge;
}
