import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { rejection, staffRoles, type Rejection, type StaffRole } from "@hostledger/core";
import { admin, audit } from "@hostledger/protocol";
import { markdownTable } from "@hostledger/runtime";

import type { StaffCaller } from "./caller.ts";

/** Roles that may call the methods of one service; an owner may call all of them. */
export interface StaffPermissions {
  readonly service: DescService;
  /** By the methods' local names, for example `topUpAccount`. */
  readonly roles: Readonly<Record<string, readonly StaffRole[]>>;
}

const everyone = ["support", "finance", "operator"] as const;
const nobodyElse = [] as const;

/**
 * Permissions of each role; owners may do everything. The staff listener reads this table, and
 * docs/reference/staff-roles.md is generated from it. A missing method does not compile, and an unknown method is
 * refused.
 */
export const staffPermissions: readonly StaffPermissions[] = [
  permitted(admin.AccountAdminService, {
    openAccount: everyone,
    showAccount: everyone,
    listAccountFacts: everyone,
    setVatExemption: ["finance"],
    showSeller: everyone,
    changeSeller: ["finance"],
    showTaxes: everyone,
    setTaxRate: ["finance"],
    setOssRegistration: ["finance"],
    setProfile: everyone,
    setQuota: ["support", "operator"],
    listQuotas: everyone,
    topUpAccount: ["finance"],
    adjustBalance: ["finance"],
    reverseTopUp: ["finance"],
    payOut: ["finance"],
    refundPayment: ["finance"],
    refundCharge: ["finance"],
    listCharges: everyone,
    showCharge: everyone,
    listAllInvoices: everyone,
    showInvoice: everyone,
    listApprovals: ["finance"],
    approveCredit: ["finance"],
    eraseAccount: nobodyElse,
    placeLegalHold: ["finance"],
    releaseLegalHold: ["finance"],
    listLegalHolds: ["finance", "operator"],
    declareKeyLost: nobodyElse,
    issueApiKey: ["operator"],
    revokeApiKey: everyone,
    listApiKeys: everyone,
    listExposedApiKeys: everyone,
  }),
  permitted(admin.BankAdminService, {
    importStatements: ["finance"],
    listBankEntries: ["finance"],
    matchBankEntry: ["finance"],
    reassignBankEntry: ["finance"],
    returnBankEntry: ["finance"],
    listPayouts: ["finance"],
    makePayoutFile: ["finance"],
    listProviderMovements: ["finance"],
    showTransferDetails: everyone,
  }),
  permitted(admin.DocumentAdminService, { fetchInvoice: everyone }),
  permitted(admin.DomainAdminService, {
    setPrice: ["finance"],
    changePrice: ["finance"],
    listAllPrices: everyone,
    listAllDomains: everyone,
    showDomain: everyone,
    listRuns: everyone,
    showRun: everyone,
    retryRun: ["operator"],
    abandonRun: ["operator"],
    showSandbox: everyone,
    setDomainSuspension: ["support", "operator"],
    setDomainTransfer: ["support", "operator"],
    releaseDomain: ["support", "operator"],
    allowLateRenewal: ["support", "operator"],
    reconcileDomains: ["operator"],
  }),
  permitted(admin.ServerAdminService, {
    addPlan: ["finance", "operator"],
    editPlan: ["finance", "operator"],
    retirePlan: ["finance", "operator"],
    addRegion: ["operator"],
    showCatalogue: everyone,
    setStock: ["operator"],
    provisionServer: ["operator"],
    setServerSuspension: ["support", "operator"],
    terminateServer: ["operator"],
    setServerWhitelisting: ["operator"],
    listAllServers: everyone,
    showServer: everyone,
    listServerRuns: everyone,
    showServerRun: everyone,
    retryServerRun: ["operator"],
    abandonServerRun: ["operator"],
    reconcileServers: ["operator"],
  }),
  permitted(admin.SupportAdminService, {
    listAllTickets: everyone,
    showTicket: everyone,
    openTicketFor: everyone,
    answerTicket: everyone,
    closeTicketFor: everyone,
    listNoticeDeliveries: everyone,
    resendNoticeDelivery: ["support", "operator"],
    recordMailBounce: ["support", "operator"],
    resumeMail: ["support", "operator"],
  }),
  permitted(admin.AuditorAdminService, {
    issueAuditorCredential: nobodyElse,
    revokeAuditorCredential: nobodyElse,
    listAuditorCredentials: ["finance", "operator"],
    addStoreReader: nobodyElse,
    revokeStoreReader: nobodyElse,
    listStoreReaders: ["operator"],
    rotateAuditKey: nobodyElse,
    restartAuditLog: nobodyElse,
  }),
  permitted(admin.ProjectionAdminService, {
    listProjections: everyone,
    rebuildProjections: ["operator"],
    listStoppedStreams: everyone,
    mendStream: ["operator"],
    skipProjectionEvent: ["operator"],
  }),
  permitted(admin.ClockAdminService, { acceptClock: ["operator"] }),
  permitted(admin.StoreAdminService, { acceptStore: ["operator"] }),
  permitted(admin.StaffAdminService, {
    addStaffMember: nobodyElse,
    listStaffMembers: ["operator"],
    revokeStaffMember: nobodyElse,
  }),
  permitted(admin.ServiceCredentialAdminService, {
    issueServiceCredential: nobodyElse,
    listServiceCredentials: ["operator"],
    revokeServiceCredential: ["operator"],
  }),
  permitted(audit.AuditService, {
    readEvents: ["finance", "operator"],
    listAuditedAccounts: everyone,
    getStatement: everyone,
    getBalanceAsOf: everyone,
    explainInvoice: everyone,
    getCheckpoint: everyone,
    getInclusionProof: everyone,
    getConsistencyProof: everyone,
    signBundle: ["finance", "operator"],
    getLogStatus: everyone,
  }),
];

/** Roles that may read the metrics and the names of a process's parts. */
export const staffRolesOfMetrics: ReadonlySet<StaffRole> = new Set(["operator", "owner"]);

/** The table by methods, for the calls that come. */
const rolesByMethod: ReadonlyMap<DescMethod, ReadonlySet<StaffRole>> = new Map(
  staffPermissions.flatMap(({ service, roles }) =>
    service.methods.map((method): [DescMethod, ReadonlySet<StaffRole>] => [
      method,
      new Set<StaffRole>(["owner", ...(roles[method.localName] ?? [])]),
    ]),
  ),
);

/** Why a member of staff may not call a method; undefined where he may. */
export function staffRefusal({ role }: StaffCaller, method: DescMethod): Rejection | undefined {
  const roles = rolesByMethod.get(method) ?? new Set();
  if (role !== undefined && roles.has(role)) return undefined;
  const allowed = staffRoles.filter((one) => roles.has(one)).join(", ");
  const sentence = `The role ${role ?? "none"} does not include ${method.name}: it takes ${allowed === "" ? "a caller of another kind" : allowed}.`;
  return rejection("unauthorized", sentence);
}

function permitted<Service extends DescService>(
  service: Service,
  roles: Readonly<Record<keyof Service["method"] & string, readonly StaffRole[]>>,
): StaffPermissions {
  return { service, roles };
}

const introduction = `# What staff may do

<!-- Made by renderStaffRolesDocument() of packages/rpc; a test compares. Change staff-permissions.ts there instead. -->

Each member of staff has one role (\`hostledger admin staff add NAME --role ROLE\`). The staff listener and the audit console check each
call against this table. A call that the role does not include is refused with \`unauthorized\`. The token in \`DATA/admin.token\` acts as
an owner until the first owner is added (ADR 0054), and is refused afterwards.

\`GET /metrics\` of the staff listener, and the names of the parts at its \`/readyz\`, are for the roles ${[...staffRolesOfMetrics].join(" and ")}.
`;

/** Renders docs/reference/staff-roles.md, laid out as the formatter leaves it. */
export function renderStaffRolesDocument(): string {
  const sections = staffPermissions.map(({ service, roles }) => {
    const rows = service.methods.map(({ name, localName }) => [
      name,
      ...staffRoles.map((role) => (role === "owner" || roles[localName]?.includes(role) ? "yes" : "")),
    ]);
    return `\n## ${service.typeName}\n\n${markdownTable([["Method", ...staffRoles], ...rows])}`;
  });
  return `${introduction}${sections.join("")}`;
}
