import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import {
  domainAggregate,
  parseDomainName,
  parsed,
  parseLine,
  parseNameservers,
  rejection,
} from "@hostledger/core";
import type { domain } from "@hostledger/protocol";
import {
  doneOrThrow,
  isRejectionCode,
  rejectionError,
  requestContextOf,
  requireAccount,
  validated,
} from "@hostledger/rpc";

import type { DomainDependencies } from "../dependencies.ts";
import type { AnsweredTransfer } from "../effects/domain-runs.ts";
import { offerOf } from "./offer.ts";
import {
  boughtDomain,
  isAvailable,
  refuseTaken,
  refuseUncovered,
  repeatableRunOf,
} from "./register-domain.ts";

type Request = Readonly<
  Pick<domain.TransferDomainRequest, "domain" | "authCode" | "autoRenew" | "nameservers">
>;
type Response = MessageInitShape<typeof domain.TransferDomainResponseSchema>;

/**
 * Has a name transferred to us from another registrar (contract, `POST /domains/transfer`). The order of checks is that of a
 * registration; the first answer of the registrar is awaited, so that a wrong code is told here, and what becomes of
 * a transfer that is pending is told by the domain, or by a ticket.
 */
export async function transferDomain(
  dependencies: DomainDependencies,
  request: Request,
  context: HandlerContext,
): Promise<Response> {
  const { accountId } = requireAccount(context);
  const {
    domain: name,
    authCode,
    nameservers,
  } = validated({
    domain: parseDomainName(request.domain),
    authCode: parseLine(request.authCode, 255),
    nameservers: request.nameservers.length === 0 ? parsed(null) : parseNameservers(request.nameservers),
  });
  const { transferRuns, clock, commands, registrar } = dependencies;
  const repeatable = repeatableRunOf("domaintransfer", context);
  if (repeatable !== undefined) {
    const earlier = await transferRuns.recall(repeatable, name.name);
    if (earlier !== undefined) return respond(dependencies, earlier);
  }
  const { transferCents } = await offerOf(dependencies, name.tld, "not-transferable");
  await refuseTaken(dependencies, name);
  if (await isAvailable(dependencies, name))
    throw rejectionError(rejection("not-transferable", undefined, { hadNoEffect: true }));
  const order = { name, years: 1, yearNetCents: transferCents };
  await refuseUncovered(dependencies, accountId, order, context);
  if (!transferRuns.hasRoom)
    throw rejectionError(rejection("overloaded", undefined, { retryAfterSeconds: 1 }));

  const domainId = await dependencies.domainIds.next();
  const transferId = repeatable ?? `domaintransfer-${String(domainId)}`;
  const transfer = {
    transferId,
    domainId,
    accountId,
    name: name.name,
    provider: registrar.name,
    authCode,
    autoRenew: request.autoRenew,
    nameservers,
    netCents: String(transferCents),
  };
  const at = clock.now();
  const asked = requestContextOf(context);
  const reserved = await commands.execute(
    domainAggregate,
    name.name,
    { type: "ReserveTransfer", data: { ...transfer, at } },
    { ...asked, commandId: `${transferId}/ReserveTransfer` },
  );
  if (!reserved.accepted) throw rejectionError(reserved.rejection);
  return respond(dependencies, await transferRuns.begin(transferId, { ...transfer, startedAt: at }, asked));
}

async function respond(
  dependencies: DomainDependencies,
  { subject, answer }: AnsweredTransfer,
): Promise<Response> {
  const { charge } =
    answer.kind === "pending"
      ? answer
      : doneOrThrow(answer, (failure) => {
          const code = "code" in failure ? failure.code : null;
          return code !== null && isRejectionCode(code) ? rejection(code) : rejection("registrar-failed");
        });
  if (subject === undefined || charge === undefined || charge === null)
    throw rejectionError(rejection("deadline-exceeded"));
  return boughtDomain(dependencies, { ...subject, charge });
}
