import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { account, domain } from "@hostledger/protocol";
import { callerOf, rejectionError, requireAccount, requireService } from "@hostledger/rpc";

/** Keys of the two accounts every spec has. */
export const keyOfSeven = "hl_live_seven";
export const keyOfEight = "hl_live_eight";

const accountByKey: Readonly<Partial<Record<string, bigint>>> = { [keyOfSeven]: 7n, [keyOfEight]: 8n };

export type AccountHandlers = ServiceImpl<typeof account.AccountService>;
export type DomainHandlers = ServiceImpl<typeof domain.DomainService>;

/** A domain as the service would answer it. */
export function domainMessage(id: bigint, name: string): domain.Domain {
  return create(domain.DomainSchema, {
    id,
    domainName: name,
    status: "active",
    provider: "sandbox",
    autoRenew: false,
    whoisPrivacy: true,
    lockStatus: true,
    usesServiceNameservers: true,
    nameservers: ["ns1.hostledger.example", "ns2.hostledger.example"],
    registrationDate: "2026-11-21T01:30:00.000123Z",
    expiryDate: "2027-11-21T01:30:00.000123Z",
    daysUntilExpiry: 365,
    isExpiringSoon: false,
    dnsRecordsCount: 2,
    createdAt: "2026-11-21T01:30:00.000456Z",
  });
}

/** An account service that knows two keys and is strict about who asks what, as the real one is. */
export function fakeAccountHandlers(): AccountHandlers {
  const unused = (): never => {
    throw new Error("the gateway makes no such call");
  };
  return {
    resolveApiKey({ apiKey }, context) {
      if (requireService(context).name !== "gateway") throw new Error("only the gateway asks whose a key is");
      const accountId = accountByKey[apiKey];
      if (accountId === undefined) {
        throw rejectionError({ code: "unauthenticated", message: "The API key is unknown or was revoked." });
      }
      return create(account.ResolveApiKeyResponseSchema, { accountId, keyId: accountId + 100n });
    },
    getAccount({ accountId }, context) {
      if (requireAccount(context).accountId !== Number(accountId)) throw rejectionError(notYours);
      return create(account.GetAccountResponseSchema, {
        accountId,
        name: "Example",
        balanceCents: accountId * 1_000n + 5n,
        openedAt: "2026-11-21T01:30:00.000000Z",
      });
    },
    listInvoices({ accountId }, context) {
      if (requireAccount(context).accountId !== Number(accountId)) throw rejectionError(notYours);
      return create(account.ListInvoicesResponseSchema);
    },
    chargeBalance: unused,
    refundRegistration: unused,
  };
}

const notYours = { code: "unauthorized", message: "This action is unauthorized." } as const;

/** A domain service whose accounts each own one domain, with the account's number as its id. */
export function fakeDomainHandlers(): DomainHandlers {
  const unexpected = (): never => {
    throw new Error("this spec did not say what the service answers");
  };
  return {
    registerDomain: unexpected,
    listDomains(_request, context) {
      const { accountId } = requireAccount(context);
      return create(domain.ListDomainsResponseSchema, {
        domains: [domainMessage(BigInt(accountId), `of-${String(accountId)}.com`)],
      });
    },
    getDomain({ domainId }, context) {
      const caller = callerOf(context);
      if (domainId !== 7n && domainId !== 8n) {
        throw rejectionError({ code: "not-found", message: "There is no such domain." });
      }
      if (caller.kind !== "account" || caller.accountId !== Number(domainId)) throw rejectionError(notYours);
      return create(domain.GetDomainResponseSchema, {
        domain: domainMessage(domainId, `of-${String(domainId)}.com`),
      });
    },
    searchDomain: unexpected,
    listPrices: unexpected,
  };
}
