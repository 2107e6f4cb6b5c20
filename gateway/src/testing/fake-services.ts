import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { account, type audit, domain } from "@hostledger/protocol";
import { rejectionError, requireAccount, requireService } from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import { notYours, refuseUnlessOwner, theirs } from "./ownership.ts";

/** API keys of accounts 7 and 8. */
export const keyOfSeven = "hl_live_seven";
export const keyOfEight = "hl_live_eight";

const accountByKey: Readonly<Partial<Record<string, bigint>>> = { [keyOfSeven]: 7n, [keyOfEight]: 8n };

export type AccountHandlers = ServiceImpl<typeof account.AccountService>;
export type DocumentHandlers = ServiceImpl<typeof account.DocumentService>;
export type ProofHandlers = ServiceImpl<typeof audit.DocumentProofService>;
export type DomainHandlers = ServiceImpl<typeof domain.DomainService>;

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
    holdBeginsAt: "2028-01-05T01:30:00.000123Z",
    deletesAt: "2028-02-09T01:30:00.000123Z",
    dnsRecordsCount: 2,
    createdAt: "2026-11-21T01:30:00.000456Z",
  });
}

export function invoiceMessage(id: bigint): account.GetInvoiceResponse {
  return create(account.GetInvoiceResponseSchema, {
    invoice: {
      id,
      number: `2026-${String(id)}-000001`,
      action: "purchase",
      gateway: "balance",
      netCents: 1_000n,
      vatCents: 190n,
      grossCents: 1_190n,
      vatRateBasisPoints: 1_900,
      duration: 1,
      paidAt: "2026-11-21T01:30:00.000123Z",
      delivered: true,
      domainId: 3n,
      createdAt: "2026-11-21T01:30:00.000123Z",
    },
    accountId: id,
    accountName: "Example",
    cause: "registration-1",
    lines: [
      {
        description: "Registration of example.com, per year",
        quantity: 1,
        unitCents: 1_000n,
        amountCents: 1_000n,
      },
    ],
  });
}

const profileMessage = create(account.GetProfileResponseSchema, {
  profile: { kind: "person", name: "Ada" },
  version: 1,
  missing: ["street"],
  changedAt: "2026-11-21T01:30:00.000000Z",
});

/** An archive of documents with a PDF and an XML of each. */
export function fakeDocumentHandlers(): DocumentHandlers {
  return {
    getDocumentFiles({ invoiceId, format }, context) {
      refuseUnlessOwner(context, invoiceId, "invoice");
      const name = `2026-${String(invoiceId)}-000001.${format}`;
      const mediaType = format === "pdf" ? "application/pdf" : "application/xml";
      const content = Buffer.from(format === "pdf" ? "%PDF-1.7 archived" : "<archived/>");
      return { files: [{ name, mediaType, content }] };
    },
    getArchivedDocument({ invoiceId }, context) {
      refuseUnlessOwner(context, invoiceId, "invoice");
      const id = String(invoiceId);
      return { stream: `document-${id}`, number: `2026-${id}-000001`, salt: "5a".repeat(32) };
    },
  };
}

/** An audit log that proves each document by the same bytes. */
export function fakeProofHandlers(): ProofHandlers {
  return {
    getDocumentProof({ invoiceId }, context) {
      refuseUnlessOwner(context, invoiceId, "invoice");
      return {
        entry: Buffer.from("the event"),
        index: 1_234n,
        hashes: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)],
        checkpoint: "hostledger/spec\n2000\nroot\n\n— hostledger/spec signature\n",
        verifierKeys: ["hostledger/spec+00000001+key"],
      };
    },
  };
}

/** An account service with two keys that checks the caller of each method, like the real service. */
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
    getInvoice({ invoiceId }, context) {
      refuseUnlessOwner(context, invoiceId, "invoice");
      return invoiceMessage(invoiceId);
    },
    getProfileRevision: () => ({ revision: 4n }),
    getProfile({ accountId }, context) {
      if (requireAccount(context).accountId !== Number(accountId)) throw rejectionError(notYours);
      return profileMessage;
    },
    changeProfile(_request, context) {
      requireAccount(context);
      return { profile: profileMessage };
    },
    ...fakeKeyHandlers(),
    chargeBalance: unused,
    refundRegistration: unused,
    refundCharge: unused,
  };
}

function fakeKeyHandlers(): Pick<AccountHandlers, "createApiKey" | "listApiKeys" | "deleteApiKey"> {
  const key = (keyId: bigint) => ({
    keyId,
    prefix: `hlk_${String(keyId)}_abcdef`,
    label: "Web server",
    scopes: ["read"],
    createdAt: "2026-11-21T01:30:00.000000Z",
    lastUsedOn: "2026-11-21",
  });
  return {
    createApiKey: ({ label, scopes, addresses, expiresAt }, context) => ({
      key: {
        ...key(theirs(context) + 100n),
        label,
        scopes,
        addresses,
        // Services return times in one format, whatever the request's format.
        ...(expiresAt === undefined ? {} : { expiresAt: "2090-01-31T12:00:00.000000Z" }),
      },
      apiKey: "hl_live_new",
    }),
    listApiKeys: (_request, context) => ({ keys: [key(theirs(context))] }),
    deleteApiKey({ keyId }, context) {
      refuseUnlessOwner(context, keyId, "API key");
      return {};
    },
  };
}

export function dnsRecordMessage(
  id: bigint,
  changes: MessageInitShape<typeof domain.DnsRecordSchema> = {},
): domain.DnsRecord {
  return create(domain.DnsRecordSchema, {
    id,
    type: "A",
    name: "@",
    value: "192.0.2.1",
    ttl: 3_600,
    createdAt: "2026-11-21T01:30:01.000000Z",
    ...changes,
  });
}

function shownRecord(id: bigint, content: domain.DnsRecordContent | undefined): domain.DnsRecord {
  const { type = "", name = "", value = "", ttl = 0, priority } = content ?? {};
  return dnsRecordMessage(id, { type, name, value, ttl, ...defined({ priority }) });
}

const owned = (id: bigint): domain.Domain => domainMessage(id, `of-${String(id)}.com`);

/** A domain service whose accounts each own the domain with the account's number. */
export function fakeDomainHandlers(): DomainHandlers {
  const unexpected = (): never => {
    throw new Error("this spec did not say what the service answers");
  };
  return {
    registerDomain: unexpected,
    transferDomain: unexpected,
    listDomains: (_request, context) => ({ domains: [owned(theirs(context))] }),
    findDomain({ name }, context) {
      const domainId = BigInt(/^of-(\d+)\.com$/.exec(name)?.[1] ?? 0);
      refuseUnlessOwner(context, domainId, "domain");
      return { domainId };
    },
    getDomainRevision({ domainId }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return { revision: 4n };
    },
    getDomain({ domainId }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return { domain: owned(domainId) };
    },
    searchDomain: unexpected,
    listPrices: unexpected,
    updateNameservers({ domainId }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return { domain: owned(domainId) };
    },
    addDnsRecord({ domainId, content }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return { record: shownRecord(3n, content) };
    },
    updateDnsRecord({ domainId, recordId, content }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return { record: shownRecord(recordId, content) };
    },
    deleteDnsRecord({ domainId }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return {};
    },
    getRecordSet({ domainId, type, name }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return { set: { type, name, ttl: 300, records: [{ value: "192.0.2.1" }] } };
    },
    replaceRecordSet({ domainId, set }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return set === undefined ? {} : { set: { ...set, ttl: set.ttl ?? 3_600 } };
    },
    addTxtValue: () => ({}),
    removeTxtValue: () => ({}),
    renewDomain({ domainId, years = 1 }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return { invoiceId: 33n, amountChargedCents: 1_428n, years, domain: owned(domainId) };
    },
    updateSettings({ domainId }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return { domain: owned(domainId) };
    },
    cancelDomain({ domainId }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return { domain: owned(domainId) };
    },
    getAuthCode({ domainId }, context) {
      refuseUnlessOwner(context, domainId, "domain");
      return { authCode: "secret-1" };
    },
  };
}
