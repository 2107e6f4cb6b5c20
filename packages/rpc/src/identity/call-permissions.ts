import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { rejection, serviceScopes, type Rejection, type ServiceScope } from "@hostledger/core";
import { account, audit, domain, server, support } from "@hostledger/protocol";

import type { Caller } from "./caller.ts";
import type { PartName } from "./service-keys.codec.ts";

/**
 * Callers of a method: customers through the gateway, one of our own parts, or an internal team whose credential has
 * the scope.
 */
export type MayCall = "customer" | PartName | ServiceScope;

/** Callers of the methods of one service on the internal listener. */
export interface CallPermissions {
  readonly service: DescService;
  /** By the methods' local names, for example `chargeBalance`. */
  readonly callers: Readonly<Record<string, readonly MayCall[]>>;
}

/** Services of the version before call these while processes are replaced one by one; later ones decide on the store. */
const runsOrders = ["domain", "server"] as const;

/**
 * The table of permissions on the listener for internal callers, for every signing key. Everything else is refused,
 * so that a stolen key permits only its owner's calls.
 */
export const callPermissions: readonly CallPermissions[] = [
  permitted(account.AccountService, {
    resolveApiKey: ["gateway"],
    getAccount: ["customer", ...runsOrders, "accounts:read"],
    getProfile: ["customer", "domain", "profiles:read"],
    getProfileRevision: ["customer"],
    changeProfile: ["customer"],
    listInvoices: ["customer", "invoices:read"],
    getInvoice: ["customer", "support", "invoices:read"],
    createApiKey: ["customer"],
    listApiKeys: ["customer"],
    deleteApiKey: ["customer"],
    chargeBalance: [...runsOrders, "charges"],
    refundRegistration: ["domain"],
    refundCharge: [...runsOrders, "charges"],
  }),
  permitted(account.DocumentService, {
    getDocumentFiles: ["customer", "support"],
    getArchivedDocument: ["customer"],
  }),
  forCustomers(account.PaymentService),
  permitted(account.PaymentNoticeService, { receivePaymentNotice: ["gateway"] }),
  forCustomers(account.IdempotencyService),
  forCustomers(domain.DomainService),
  forCustomers(server.ServerService),
  forCustomers(server.CatalogueService),
  forCustomers(support.SupportService),
  forCustomers(audit.DocumentProofService),
];

/** The table by methods, for the calls that come. */
const callersByMethod: ReadonlyMap<DescMethod, readonly MayCall[]> = new Map(
  callPermissions.flatMap(({ service, callers }) =>
    service.methods.map((method): [DescMethod, readonly MayCall[]] => [
      method,
      callers[method.localName] ?? [],
    ]),
  ),
);

/**
 * Returns why a call signed by the part is refused; undefined if it is permitted.
 * @param part owner of the signing key. Only the gateway may call for customers; no part may call for staff or
 * another part.
 */
export function callRefusal(part: PartName, caller: Caller, method: DescMethod): Rejection | undefined {
  const isForCustomer = caller.kind === "account" && part === "gateway";
  const isForItself = caller.kind === "service" && caller.name === part;
  if (!isForCustomer && !isForItself)
    return rejection(
      "unauthenticated",
      `The key of ${part} may not sign for a caller of this kind or name.`,
      { reason: callerRefusedReason },
    );
  if ((callersByMethod.get(method) ?? []).includes(isForCustomer ? "customer" : part)) return undefined;
  const who = isForCustomer ? "a customer" : `the ${part} in its own name`;
  return rejection("unauthorized", `${method.name} is not for ${who}.`, { reason: callerRefusedReason });
}

/** The reason of a refusal of one of our own parts: its key or its clock is wrong, and no customer can mend that. */
export const callerRefusedReason = "caller-refused";

/** Why a team may not make a call; undefined where its scopes include it. */
export function teamRefusal(scopes: readonly string[], method: DescMethod): Rejection | undefined {
  const opening = (callersByMethod.get(method) ?? []).filter((one) => serviceScopes.some((s) => s === one));
  if (opening.some((scope) => scopes.includes(scope))) return undefined;
  const needed = opening.length === 0 ? "no scope opens it" : `it takes the scope ${opening.join(" or ")}`;
  return rejection("unauthorized", `${method.name} is not for this credential: ${needed}.`);
}

function permitted<Service extends DescService>(
  service: Service,
  callers: Readonly<Record<keyof Service["method"] & string, readonly MayCall[]>>,
): CallPermissions {
  return { service, callers };
}

/** Permits a contract's methods to customers. */
function forCustomers(service: DescService): CallPermissions {
  return {
    service,
    callers: Object.fromEntries(service.methods.map(({ localName }) => [localName, ["customer"]])),
  };
}
