import type { ServiceImpl } from "@connectrpc/connect";
import { admin } from "@hostledger/protocol";

import { implement, type ServiceImplementation } from "../transport/implement.ts";

type Handlers = ServiceImpl<typeof admin.AccountAdminService>;

/** Creates staff's account service whose methods are all bugs, except for those given. */
export function accountAdminService(handlers: Partial<Handlers>): ServiceImplementation {
  const unused = (): never => {
    throw new Error("not part of this test");
  };
  return implement(admin.AccountAdminService, {
    openAccount: unused,
    showAccount: unused,
    listAccountFacts: unused,
    setVatExemption: unused,
    showSeller: unused,
    changeSeller: unused,
    showTaxes: unused,
    setTaxRate: unused,
    setOssRegistration: unused,
    setProfile: unused,
    placeLegalHold: unused,
    releaseLegalHold: unused,
    listLegalHolds: unused,
    setQuota: unused,
    listQuotas: unused,
    topUpAccount: unused,
    adjustBalance: unused,
    reverseTopUp: unused,
    payOut: unused,
    refundPayment: unused,
    refundCharge: unused,
    listCharges: unused,
    showCharge: unused,
    listAllInvoices: unused,
    showInvoice: unused,
    listApprovals: unused,
    approveCredit: unused,
    eraseAccount: unused,
    declareKeyLost: unused,
    issueApiKey: unused,
    revokeApiKey: unused,
    listApiKeys: unused,
    listExposedApiKeys: unused,
    ...handlers,
  });
}
